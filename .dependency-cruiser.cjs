/** The arrows of the workspace: see docs/adr/0002-arrows.md and the README's picture of the parts. */
module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-service-imports-a-service',
      severity: 'error',
      from: { path: '^services/([^/]+)/' },
      to: { path: '^services/', pathNot: '^services/$1/' },
    },
    {
      name: 'no-package-imports-a-service',
      severity: 'error',
      from: { path: '^packages/' },
      to: { path: '^services/' },
    },
    {
      name: 'production-code-imports-no-test',
      severity: 'error',
      from: { path: '/src/', pathNot: '\\.test\\.ts$|^packages/testing/' },
      to: { path: '/tests/|\\.test\\.ts$|^packages/testing/' },
    },
    {
      name: 'decisions-are-pure',
      comment: 'A decision knows no database, broker, clock or network: time, ids and facts are arguments.',
      severity: 'error',
      from: { path: ['/src/decisions/', '/src/doctor/decisions/'], pathNot: '\\.test\\.ts$' },
      to: {
        path: '^packages/(postgres|event-store|kafka|service-runtime|redis|blob-store)/|node_modules/(pg|kafkajs|ioredis)/|^node:(fs|net|http|https)$',
      },
    },
    { name: 'not-to-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'declared-dependencies-only',
      severity: 'error',
      from: { path: '^(services|packages|bench)/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
    combinedDependencies: true,
  },
};
