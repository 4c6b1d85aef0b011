import { commandMain } from '@indelible/service-runtime';
import { readFundConfig } from './funding/config.ts';
import { fundOperator } from './funding/fund-operator.ts';

await commandMain('fund', async () => {
  console.log(await fundOperator(readFundConfig(process.env)));
});
