import { type IncomingMessage, isMessage } from '@indelible/kafka';
import { BlockAppended, BlocksFinalized, BlocksReverted } from '@indelible/messages';
import { PermanentError } from '@indelible/service-runtime';
import type { ChainMessage } from '../decisions/follow-chain.ts';

/** The events.chain messages of the commitments read model. */
export const chainMessages = [BlockAppended, BlocksReverted, BlocksFinalized];

/** @throws PermanentError for any other message */
export function chainMessageOf(message: IncomingMessage): ChainMessage & { readonly id: string } {
  const { id } = message;
  if (isMessage(message, BlockAppended)) return { id, type: 'BlockAppended', data: message.data };
  if (isMessage(message, BlocksReverted)) return { id, type: 'BlocksReverted', data: message.data };
  if (isMessage(message, BlocksFinalized)) return { id, type: 'BlocksFinalized', data: message.data };
  throw new PermanentError(`${message.type}.v${message.version} is not projected`);
}
