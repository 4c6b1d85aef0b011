import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { relocatedFolder } from '../native/postgres-account.ts';
import { readToolEnvironment, type ToolEnvironment } from './config.ts';
import { type ComposeProject, removeContainers } from './docker.ts';
import { lockDirectory } from './owner-lock.ts';
import { Supervisor } from './supervisor.ts';

const COMPOSE_FILE = resolve(import.meta.dirname, '../../../../docker-compose.yml');

/** The compose project of a data folder. */
export function composeProject(dataDir: string, tools: ToolEnvironment): ComposeProject {
  return { composeFile: COMPOSE_FILE, dataDir: resolve(dataDir), tools };
}

/** Removes all data of this folder: containers with their volumes, relocated data, the folder itself. */
export async function removeData(project: ComposeProject): Promise<void> {
  await removeContainers(project);
  await rm(relocatedFolder(project.dataDir), { recursive: true, force: true, maxRetries: 5 });
  await rm(project.dataDir, { recursive: true, force: true, maxRetries: 5 });
}

/**
 * Starts over: ends what a killed run left behind and removes all data of the folder. Downloads stay.
 * Throws InfrastructureError if an infrastructure of this folder is running.
 */
export async function discardInfrastructure(
  dataDir: string,
  tools: ToolEnvironment = readToolEnvironment(),
): Promise<void> {
  const project = composeProject(dataDir, tools);
  await lockDirectory(project.dataDir);
  await new Supervisor(project.dataDir).endLeftovers();
  await removeData(project);
}
