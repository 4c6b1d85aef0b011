import type { Reader } from '../readers/reader.ts';
import { type Survey, surveyAtOnce } from '../running/survey.ts';
import { eventSchemas } from './streams.ts';

/** The outboxes: how long the oldest event waits to be published. */
export const surveyRelays = ({ reader, graceSeconds }: { reader: Reader; graceSeconds: number }): Survey =>
  surveyAtOnce('relays', async () => {
    const differences = [];
    for (const { schema } of eventSchemas) {
      const [oldest] = await reader.query<{ age: number }>(
        `select extract(epoch from clock_timestamp() - e.recorded_at)::float8 as age
         from ${schema}.events e
         where e.position > (select c.position from ${schema}.relay_cursor c)
         order by e.position limit 1`,
      );
      if (oldest !== undefined && oldest.age > graceSeconds)
        differences.push({
          key: schema,
          subject: `the relay of ${schema}`,
          what: `the oldest event it has to publish is ${Math.round(oldest.age)} s old`,
          remedy:
            'do Kafka and the schema registry answer, and does the service run? Its log names what fails; it goes on by itself',
        });
    }
    return { looked: eventSchemas.length, differences };
  });
