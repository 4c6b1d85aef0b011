import type { Span, Tracing } from '@indelible/service-runtime';
import type { ChainMessage } from '../decisions/chain-messages.ts';
import type { Block } from '../decisions/headers.ts';

/** Of blocks that are read together, as after a stop, these have a trace. */
const mostTraced = 16;

/**
 * A block with logs has a trace of its own, in which the traces of the stamps that it confirms find when it was read. The indexer cannot know whose
 * stamps are in it, so the ratio of the sampler does not count here: it is a span a block at most.
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
    /** The messages of the block, with the context of its span. */
    carry(block: Block, messages: readonly ChainMessage[]): readonly ChainMessage[] {
      const span = spans.get(block);
      return span === undefined ? messages : messages.map((message) => ({ ...message, traceparent: span.traceparent }));
    },
    end(): void {
      for (const span of spans.values()) span.end();
    },
  };
}
