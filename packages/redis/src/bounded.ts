/**
 * The command's result, or the fallback when it fails or takes longer than the time. ioredis' own limit begins when a
 * command is written, which may be after others of its pipeline. A response that arrived in time counts, however late
 * this process reads it: at the limit, the sockets are read first.
 */
export const boundedOr = async <Result, Fallback>(
  command: Promise<Result>,
  fallback: Fallback,
  timeoutMs: number,
): Promise<Result | Fallback> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Fallback>((resolve) => {
    timer = setTimeout(() => setImmediate(resolve, fallback), timeoutMs);
  });
  try {
    return await Promise.race([command, late]);
  } catch {
    return fallback;
  } finally {
    clearTimeout(timer);
  }
};
