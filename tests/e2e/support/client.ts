/** A client as the specification describes one: form fields, a bearer token, JSON answers. */
export type Receipt = {
  transaction_hash: string;
  user_address: string;
  set_cid: string;
  object_cid: string;
  timestamp: string;
  chain_id: number;
};
export type StampAnswer = {
  status: number;
  location: string | null;
  requestId: string | null;
  body: {
    commitment_receipt: Receipt;
    file_object?: { file_name: string; file_path: string };
    error?: string;
    details?: string;
  };
};
export type CloudEvent = {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly data: Readonly<Record<string, unknown>>;
};
export type StampStatus = { id: string; status: string; commitment_receipt?: Receipt; error?: string };

export function createClient(rootUrl: string, apiKey: string) {
  const headers = { authorization: `Bearer ${apiKey}` };
  const base = `${rootUrl}/api/v1`;
  const json = async <Body>(response: Response): Promise<{ status: number; body: Body }> => ({
    status: response.status,
    body: (await response.json()) as Body,
  });
  const sendForm = async (
    path: string,
    fields: Record<string, string | Blob>,
    fileName: string,
    more: Readonly<Record<string, string>> = {},
  ): Promise<StampAnswer> => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields))
      if (typeof value === 'string') form.append(name, value);
      else form.append(name, value, fileName);
    const response = await fetch(`${base}${path}`, {
      method: 'POST',
      headers: { ...headers, ...more },
      body: form,
    });
    return {
      location: response.headers.get('location'),
      requestId: response.headers.get('x-request-id'),
      ...(await json<StampAnswer['body']>(response)),
    };
  };
  return {
    stamp: (
      fields: Record<string, string | Blob>,
      fileName = 'file.bin',
      headers: Readonly<Record<string, string>> = {},
    ): Promise<StampAnswer> => sendForm('/stamps', fields, fileName, headers),
    uploadLater: (fields: Record<string, string | Blob>, fileName = 'file.bin'): Promise<StampAnswer> =>
      sendForm('/stamps/upload-stamped-file', fields, fileName),
    async verify(
      cids: readonly string[],
    ): Promise<{ status: number; body: { stamp_list: Receipt[]; display_timezone: string } }> {
      const body = JSON.stringify({ cids });
      return json(
        await fetch(`${base}/stamps/verify`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body,
        }),
      );
    },
    async createCollection(body: object): Promise<{ status: number; body: { id: number; name: string; cid: string } }> {
      const request = {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      };
      return json(await fetch(`${base}/collections`, request));
    },
    createWebhook: async (body: object): Promise<{ status: number; body: { id: string; secret: string } }> =>
      json(
        await fetch(`${base}/webhooks`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      ),
    /** Server-sent events from now on, each with its name, until it is closed. */
    async streamEvents(): Promise<{
      readonly events: readonly { readonly name: string; readonly event: CloudEvent }[];
      close(): Promise<void>;
    }> {
      const left = new AbortController();
      const response = await fetch(`${base}/events`, { headers, signal: left.signal });
      if (response.status !== 200 || response.body === null) throw new Error(`the stream is a ${response.status}`);
      const events: { name: string; event: CloudEvent }[] = [];
      const reading = (async (body: ReadableStream<Uint8Array>) => {
        let text = '';
        for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
          const blocks = (text + chunk).split('\n\n');
          text = blocks.pop() as string;
          for (const block of blocks) {
            const [, name, data] = /^event: (.*)\ndata: (.*)$/m.exec(block) ?? [];
            if (name !== undefined && data !== undefined) events.push({ name, event: JSON.parse(data) as CloudEvent });
          }
        }
      })(response.body);
      return {
        events,
        async close() {
          left.abort();
          await reading.catch(() => {});
        },
      };
    },
    get: async <Body>(path: string): Promise<{ status: number; body: Body }> =>
      json<Body>(await fetch(path.startsWith('http') ? path : `${base}${path}`, { headers })),
    status: async (location: string): Promise<{ status: number; body: StampStatus }> =>
      json<StampStatus>(await fetch(new URL(location, rootUrl), { headers })),
  };
}
export type Client = ReturnType<typeof createClient>;
