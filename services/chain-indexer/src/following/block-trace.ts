import type { Span, Tracing } from '@indelible/service-runtime';
import type { ChainMessage } from '../decisions/chain-messages.ts';
import type { Block } from '../decisions/headers.ts';

/** The most traced blocks among those read together, as after a stop. */
const mostTraced = 16;

/**
 * A block with logs has its own trace; the traces of the stamps that it confirms use it to find when it was read. The
 * indexer cannot know whose stamps are in it, so the sampler's ratio does not apply: at most one span per block.
 */
export function traceBlocks(tracing: Tracing, blocks: readonly Block[]) {
  const spans = new Map<Block, Span>();
  for (const block of tracing.on ? blocks.filter(({ logs }) => logs.length > 0).slice(-mostTraced) : []) {
    const span = tracing.begin(undefined, {
      name: 'append block',
      attributes: {
        'indelible.block.number': block.number,
        'indelible.block.hash': block.hash,
        'indelible.block.time': block.time,
        'indelible.block.logs': block.logs.length,
      },
    });
    if (span !== undefined) spans.set(block, span);
  }
  return {
    /** Adds the block's span context to its messages. */
    carry(block: Block, messages: readonly ChainMessage[]): readonly ChainMessage[] {
      const span = spans.get(block);
      return span === undefined ? messages : messages.map((message) => ({ ...message, traceparent: span.traceparent }));
    },
    end(): void {
      for (const span of spans.values()) span.end();
    },
  };
}
