import { readToolEnvironment } from '@indelible/launcher/servers';
import { chartChecks } from './chart/chart-checks.ts';
import { provideChartTools } from './chart/chart-tools.ts';
import { testMain } from './run-tests.ts';

/** `npm run test:chart`: the Helm chart, by Helm and by tools that need no cluster. */
await testMain(async (_args, signal) => {
  const tools = await provideChartTools(readToolEnvironment(), signal);
  let failed = 0;
  const checks = chartChecks(tools);
  for (const { name, run } of checks) {
    const { ok, output } = await run(signal);
    process.stderr.write(`${ok ? 'ok    ' : 'failed'} ${name}\n`);
    if (ok) continue;
    failed++;
    process.stderr.write(`${output.trimEnd()}\n`);
  }
  process.stdout.write(`${checks.length - failed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
});
