/** The exit code of a process whose configuration is invalid (sysexits' EX_CONFIG): a restart cannot help. */
export const configurationExitCode = 78;
