import { commandMain } from '@indelible/service-runtime';
import { readFundConfig } from './config.ts';
import { fundOperator } from './fund.ts';

await commandMain('fund', async () => {
  console.log(await fundOperator(readFundConfig(process.env)));
});
