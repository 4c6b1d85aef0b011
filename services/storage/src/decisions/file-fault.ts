/** What its owner learns of content that never will be stored; why in detail is in the log, which may name paths and servers. */
export const fileFault =
  'the stamp is recorded, but its content could not be stored; send the content again to store it';
