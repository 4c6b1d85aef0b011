export class DeploymentError extends Error {
  readonly retryable = true;
  override readonly name = 'DeploymentError';
}
