import type { OutgoingMessage, Publisher } from '@indelible/kafka';
import type { ReplyReceiver } from '@indelible/redis';
import { type FailpointName, failpoint } from '@indelible/service-runtime';
import type { Wait } from '../stamping/waiting-room.ts';
import { type Awaited, awaitOutcome } from './await-outcome.ts';
import { type Submission, submit } from './submit.ts';

/** A command whose outcome a request waits for. */
export type Command<State, Status, Outcome> = Submission &
  Awaited<State, Status, Outcome> & {
    readonly requestId: string;
    /** Its message, once what it names is durable; undefined when already published. */
    prepare(): OutgoingMessage | Promise<OutgoingMessage | undefined>;
    readonly published?: FailpointName;
  };

export type CommandPorts = {
  readonly publisher: Pick<Publisher, 'publish'>;
  readonly replies: Pick<ReplyReceiver, 'wait'>;
};

/**
 * Publishes a command and waits for its outcome; listens for replies before it publishes. @throws as `prepare`,
 * `submit` and `wait`
 */
export async function submitAndAwait<State, Status, Outcome>(
  ports: CommandPorts,
  command: Command<State, Status, Outcome>,
  wait: Pick<Wait, 'onEnd'>,
): Promise<Outcome> {
  const waiter = ports.replies.wait(command.requestId);
  try {
    const prepared = command.prepare();
    const message = prepared instanceof Promise ? await prepared : prepared;
    if (message !== undefined) {
      await submit(ports.publisher, command, [message]);
      if (command.published !== undefined) failpoint(command.published);
    }
  } catch (error) {
    waiter.close();
    throw error;
  }
  return awaitOutcome(command, waiter, wait);
}
