import { madeOf, matching, optional, url } from '@indelible/service-runtime';

export type GcsConfig = {
  readonly kind: 'gcs';
  readonly bucket: string;
  readonly prefix: string;
  readonly apiEndpoint?: string;
};

const bucketName = /^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/;
const path = /^(?!.{201})(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]+(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]+)*$/;

export const gcsSettings = madeOf(
  {
    bucket: matching('GCS_BUCKET', {
      meaning: 'The bucket of Google Cloud Storage; gateway and storage share it',
      shape: bucketName,
      values: 'the name of a bucket',
    }),
    prefix: matching('GCS_PREFIX', {
      meaning: 'The folder in the bucket',
      shape: path,
      values: 'a path of letters, digits, dots, dashes and underscores',
      default: '',
    }),
    apiEndpoint: optional(
      url('GCS_API_ENDPOINT', { meaning: 'An emulator in place of Google', protocols: ['http:', 'https:'] }),
      "Google's",
    ),
  },
  ({ bucket, prefix, apiEndpoint }): GcsConfig => ({
    kind: 'gcs',
    bucket,
    prefix,
    ...(apiEndpoint !== undefined && { apiEndpoint }),
  }),
);
