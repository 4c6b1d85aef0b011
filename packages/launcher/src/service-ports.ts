import { anyFreePort, isPortFree } from './servers.ts';
import { type ServicePorts, serviceNames, wantedPorts } from './service-table.ts';

/** A port for each service: the wanted one if it is free, else any free one; no port twice. */
export async function chooseServicePorts(use: 'wanted first' | 'any'): Promise<ServicePorts> {
  const taken = new Set<number>();
  const choose = async (wanted: number): Promise<number> => {
    let port = use === 'wanted first' && (await isPortFree(wanted)) ? wanted : await anyFreePort();
    while (taken.has(port)) port = await anyFreePort();
    taken.add(port);
    return port;
  };
  const ports: Partial<Record<keyof ServicePorts, number>> = {};
  for (const name of ['api', ...serviceNames] as const) ports[name] = await choose(wantedPorts[name]);
  return ports as ServicePorts;
}
