/** The exit code of a process whose configuration is invalid (sysexits' EX_CONFIG): starting it again cannot help. */
export const configurationExitCode = 78;
