import { join } from 'node:path';
import { WORKSPACE } from '../environment.ts';

export const chartFolder = join(WORKSPACE, 'deploy', 'helm', 'indelible');

/**
 * The rendered and checked variants: each values file, at an installation and an upgrade, and options that these leave
 * off.
 */
export const chartVariants = [
  { name: 'local', args: ['-f', join(chartFolder, 'values-local.yaml')] },
  { name: 'local-upgrade', args: ['-f', join(chartFolder, 'values-local.yaml'), '--is-upgrade'] },
  { name: 'production', args: ['-f', join(chartFolder, 'values-production.yaml')] },
  { name: 'production-upgrade', args: ['-f', join(chartFolder, 'values-production.yaml'), '--is-upgrade'] },
  {
    name: 'production-route',
    args: [
      ...['-f', join(chartFolder, 'values-production.yaml')],
      ...['--set', 'httpRoute.enabled=true,httpRoute.parentRefs[0].name=public,ingress.enabled=false'],
      ...['--set', 'blobStore.kind=local,kafka.topicPrefix=blue.'],
    ],
  },
] as const;
