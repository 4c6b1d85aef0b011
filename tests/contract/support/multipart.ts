/** A part as it is written: its header lines and its bytes. */
export type WrittenPart = readonly [headers: string, content: string | Buffer];

export const boundary = 'contract-boundary';
export const multipartType = `Content-Type: multipart/form-data; boundary=${boundary}`;

export const field = (name: string, value: string | Buffer): WrittenPart => [
  `Content-Disposition: form-data; name="${name}"`,
  value,
];
export const file = (fileName: string, content: string | Buffer, name = 'file'): WrittenPart => [
  `Content-Disposition: form-data; name="${name}"; filename="${fileName}"\r\nContent-Type: application/octet-stream`,
  content,
];

/** A multipart body of the parts, byte for byte; `end` replaces the closing boundary. */
export const multipart = (parts: readonly WrittenPart[], end = `--${boundary}--\r\n`): Buffer =>
  Buffer.concat([
    ...parts.flatMap(([headers, content]) => [
      Buffer.from(`--${boundary}\r\n${headers}\r\n\r\n`),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ]),
    Buffer.from(end),
  ]);
