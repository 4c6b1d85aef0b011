/** One part of a form, as it arrives. `body` must be read (or left) before the next part. */
export type FormPart = {
  readonly name: string;
  /** Given for a file of multipart/form-data, as it was sent. */
  readonly fileName: string | undefined;
  readonly body: AsyncIterable<Buffer>;
};
