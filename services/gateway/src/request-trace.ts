/** The ids that identify an HTTP request in logs and messages; its stamp has another id. */
export type RequestTrace = { readonly requestId: string; readonly traceparent?: string };
