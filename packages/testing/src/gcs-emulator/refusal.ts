/** An error response, in the form of Google Cloud Storage's JSON API. */
export class Refusal extends Error {
  readonly status: number;
  readonly reason: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, reason: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.reason = reason;
    this.headers = headers;
  }

  /** The answer's body, as JSON. */
  get body(): string {
    const { status: code, reason, message } = this;
    return JSON.stringify({ error: { code, message, errors: [{ message, domain: 'global', reason }] } });
  }
}

export const invalid = (message: string): Refusal => new Refusal(400, 'invalid', message);
export const notFound = (message: string): Refusal => new Refusal(404, 'notFound', message);
export const noSuchObject = (bucket: string, name: string): Refusal => notFound(`No such object: ${bucket}/${name}`);
export const noSuchBucket = (): Refusal => notFound('The specified bucket does not exist.');
export const conditionNotMet = (): Refusal =>
  new Refusal(412, 'conditionNotMet', 'At least one of the pre-conditions you specified did not hold.');
/** Missing in this emulator but not in Google's: refused, since ignoring it could let a test pass wrongly. */
export const notImplemented = (what: string): Refusal =>
  new Refusal(501, 'notImplemented', `The emulator knows nothing of ${what}`);
