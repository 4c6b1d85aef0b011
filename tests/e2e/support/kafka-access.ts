import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type ServiceName, serviceNames } from '@indelible/launcher';
import kafkajs, { type AclEntry } from 'kafkajs';
import { parse } from 'yaml';

const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs;
const file = resolve(import.meta.dirname, '../../../deploy/helm/indelible/files/kafka-access.yaml');

/** What one service may do at the brokers, as the chart lists it. */
export type KafkaAccess = {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly groups: readonly string[];
  readonly watches?: { readonly groups: readonly string[]; readonly topics: readonly string[] };
};

export const readKafkaAccess = async (): Promise<Readonly<Record<ServiceName, KafkaAccess>>> =>
  parse(await readFile(file, 'utf8')) as Record<ServiceName, KafkaAccess>;

export const deadLetterOf = (topic: string): string => `${topic}.dead-letter`;

/** Topics that a service may write: its own, and the dead letters of those that it reads. */
export const writableBy = ({ writes, reads }: KafkaAccess): readonly string[] => [
  ...writes,
  ...reads.map(deadLetterOf),
];

/** The rules of all services in the chart's KafkaUsers (`templates/kafka/users.yaml`), and of the provisioning user. */
export function aclsOf(access: Readonly<Record<ServiceName, KafkaAccess>>, prefix: string): readonly AclEntry[] {
  const { TOPIC, GROUP, CLUSTER } = AclResourceTypes;
  const { READ, WRITE, DESCRIBE, CREATE, DESCRIBE_CONFIGS, ALTER_CONFIGS } = AclOperationTypes;
  const rule = (
    user: string,
    resourceType: kafkajs.AclResourceTypes,
    resourceName: string,
    operations: readonly kafkajs.AclOperationTypes[],
    resourcePatternType = ResourcePatternTypes.LITERAL,
  ): readonly AclEntry[] =>
    operations.map((operation) => ({
      ...{ principal: `User:${user}`, host: '*', permissionType: AclPermissionTypes.ALLOW },
      ...{ resourceType, resourceName, resourcePatternType, operation },
    }));
  const ofService = (user: ServiceName): readonly AclEntry[] => {
    const { reads, groups, watches } = access[user];
    const topic = (name: string, operation: kafkajs.AclOperationTypes) =>
      rule(user, TOPIC, `${prefix}${name}`, [operation, DESCRIBE]);
    return [
      ...reads.flatMap((name) => topic(name, READ)),
      ...writableBy(access[user]).flatMap((name) => topic(name, WRITE)),
      ...groups.flatMap((name) => rule(user, GROUP, `${prefix}${name}`, [READ, DESCRIBE])),
      ...(watches?.groups ?? []).flatMap((name) => rule(user, GROUP, `${prefix}${name}`, [DESCRIBE])),
      ...(watches?.topics ?? []).flatMap((name) => rule(user, TOPIC, `${prefix}${name}`, [DESCRIBE])),
    ];
  };
  return [
    ...serviceNames.flatMap(ofService),
    ...rule(
      'provision',
      TOPIC,
      prefix,
      [CREATE, DESCRIBE, DESCRIBE_CONFIGS, ALTER_CONFIGS],
      ResourcePatternTypes.PREFIXED,
    ),
    ...rule('provision', CLUSTER, 'kafka-cluster', [DESCRIBE]),
  ];
}
