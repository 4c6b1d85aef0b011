import { KeepNonConfirmedContent, StoreUploadedContent } from '@indelible/messages';
import { inParallel } from './in-parallel.ts';
import { type KeptContent, keepNonConfirmed } from './keep-non-confirmed.ts';
import type { UploadMessage } from './record-upload.ts';
import { storeUpload, type UploadHandled, type UploadPorts } from './store-upload.ts';

/** Contents handled concurrently: each waits for the disk or bucket. */
const width = 8;

/** A command of commands.files and the id of its HTTP request. */
export type FileCommand = { readonly httpRequestId: string | undefined } & (
  | { readonly type: 'store-uploaded'; readonly message: UploadMessage }
  | {
      readonly type: 'keep-non-confirmed';
      readonly message: { readonly id: string; readonly data: KeepNonConfirmedContent };
    }
);

export type FileCommandTelemetry = {
  uploadHandled(upload: UploadHandled): void;
  contentKeptAside(kept: KeptContent, requestId: string | undefined): void;
};

/**
 * Handles a batch of commands: those of one content sequentially, in order, and different contents in parallel. All are
 * tried; then the first fault is thrown, and the whole batch may be redelivered.
 */
export async function handleFileCommands(
  ports: UploadPorts,
  batch: readonly FileCommand[],
  telemetry: FileCommandTelemetry,
): Promise<void> {
  const byContent = Map.groupBy(batch, keyOf);
  const faults = await inParallel([...byContent.values()], width, async (commands) => {
    try {
      for (const command of commands) await handle(ports, command, telemetry);
      return [];
    } catch (error) {
      return [error];
    }
  });
  for (const fault of faults.flat()) throw fault;
}

const keyOf = (command: FileCommand): string =>
  command.type === 'store-uploaded'
    ? StoreUploadedContent.key(command.message.data)
    : KeepNonConfirmedContent.key(command.message.data);

async function handle(ports: UploadPorts, command: FileCommand, telemetry: FileCommandTelemetry): Promise<void> {
  const { httpRequestId } = command;
  if (command.type === 'store-uploaded')
    telemetry.uploadHandled(await storeUpload(ports, command.message, httpRequestId));
  else telemetry.contentKeptAside(await keepNonConfirmed(ports, command.message), httpRequestId);
}
