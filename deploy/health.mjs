/**
 * The health command of a container: exit code 0 when its service is live (`live`: the process works) or ready (`ready`: it can do its
 * work). Prints the answer, which names what the service waits for.
 */
const probe = process.argv[2] ?? 'live';
try {
  const response = await fetch(`http://127.0.0.1:${process.env.INTERNAL_PORT}/health/${probe}`, {
    signal: AbortSignal.timeout(4_000),
  });
  console.log(await response.text());
  process.exitCode = response.ok ? 0 : 1;
} catch (error) {
  console.log(`no answer: ${error.cause?.code ?? error.message}`);
  process.exitCode = 1;
}
