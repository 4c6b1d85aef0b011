/** The address of a service's internal server, one of its components, once it has started on a free port. */
export function internalUrlOf(components: readonly object[]): string {
  const server = components.find((one): one is { port(): number } => 'port' in one);
  if (server === undefined) throw new Error('none of the components is an internal server');
  return `http://127.0.0.1:${server.port()}`;
}
