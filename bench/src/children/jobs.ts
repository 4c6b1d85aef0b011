/**
 * Work of separate processes, by name: loads are jobs with an outcome; servers return their URL and keep serving. Each
 * is imported where it runs, so that no process loads the libraries of another.
 */
export const jobs = {
  accept: async () => (await import('../load/accept.ts')).accept,
  'closed loop': async () => (await import('../load/stamp-loops.ts')).closedLoop,
  'open loop': async () => (await import('../load/stamp-loops.ts')).openLoop,
  'stamp batches': async () => (await import('../load/stamp-batches.ts')).stampBatches,
  ethers: async () => (await import('../load/ethers.ts')).stampByEthers,
  upload: async () => (await import('../load/upload.ts')).uploadContent,
  hash: async () => (await import('../load/upload.ts')).hashContent,
  match: async () => (await import('../load/match-objects.ts')).matchObjects,
  'look up': async () => (await import('../load/look-up.ts')).lookUp,
  'bare express': async () => (await import('../system/bare-express.ts')).serveBareExpress,
  'durable express': async () => (await import('../system/bare-express.ts')).serveDurableExpress,
  ceiling: async () => (await import('../system/ceiling-server.ts')).serveCeiling,
  matching: async () => (await import('../system/matching.ts')).serveMatching,
};

export type JobName = keyof typeof jobs;
type JobOf<Name extends JobName> = Awaited<ReturnType<(typeof jobs)[Name]>>;
export type SettingsOf<Name extends JobName> = Parameters<JobOf<Name>>[0];
export type OutcomeOf<Name extends JobName> = Awaited<ReturnType<JobOf<Name>>>;
