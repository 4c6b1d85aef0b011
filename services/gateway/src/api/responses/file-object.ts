import type { components } from '../generated/openapi.ts';

/** The key `file_object` if a file is stored, otherwise no key. */
export const fileObjectIn = (
  file: { readonly fileName: string | null; readonly filePath: string | null } | undefined,
): { file_object?: components['schemas']['FileObject'] } =>
  file === undefined || file.fileName === null || file.filePath === null
    ? {}
    : { file_object: { file_name: file.fileName, file_path: file.filePath } };
