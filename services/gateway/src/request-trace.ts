/** The ids that follow an HTTP request through logs and messages; the id of its stamp is another. */
export type RequestTrace = { readonly requestId: string; readonly traceparent?: string };
