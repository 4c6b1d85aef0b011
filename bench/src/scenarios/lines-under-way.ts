/**
 * Lines of batches that wait for their results, of all clients together: far more than two seconds' stamps, so that they do
 * not bound what is measured, and few enough that a slow machine, at 600 a second, still answers each within the wait limit.
 */
export const linesUnderWay = 16_000;
