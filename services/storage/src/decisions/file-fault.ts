/**
 * The reason shown to the owner of content that can never be stored; details are in the log, and may name paths and
 * servers.
 */
export const fileFault =
  'the stamp is recorded, but its content could not be stored; send the content again to store it';
