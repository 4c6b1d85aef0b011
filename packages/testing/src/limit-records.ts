import kafkajs from 'kafkajs';
import { eventually } from './eventually.ts';

const { ConfigResourceTypes, Kafka, logLevel } = kafkajs;
const setting = 'max.message.bytes';

/**
 * Sets the largest record that the broker accepts for a topic. The controller sets it at once, but it applies only
 * after the broker has processed all earlier changes, such as topics that other tests delete: resolves then.
 */
export async function limitRecords(brokers: readonly string[], topic: string, bytes: number): Promise<void> {
  const admin = new Kafka({ brokers: [...brokers], clientId: 'operator', logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    const resource = { type: ConfigResourceTypes.TOPIC, name: topic };
    const value = String(bytes);
    await admin.alterConfigs({
      validateOnly: false,
      resources: [{ ...resource, configEntries: [{ name: setting, value }] }],
    });
    await eventually(
      async () => {
        const { resources } = await admin.describeConfigs({
          includeSynonyms: false,
          resources: [{ ...resource, configNames: [setting] }],
        });
        const known = resources[0]?.configEntries[0]?.configValue;
        if (known !== value) throw new Error(`${setting} of ${topic} is still ${known}`);
      },
      { timeoutMs: 30_000 },
    );
  } finally {
    await admin.disconnect();
  }
}
