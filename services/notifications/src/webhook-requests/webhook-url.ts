import { isIP } from 'node:net';
import { isLocalhost, type Network, type Reach, reachOf } from './addresses.ts';

export type UrlOptions = {
  /** For a local start: receivers on this machine, also by http. */
  readonly allowLoopbackHttp: boolean;
  /** None by default. */
  readonly deniedNetworks?: readonly Network[];
};

const maxCharacters = 2_048;
/** Lower ones are other protocols' (SSH, SMTP, LDAP, …). */
const firstFreePort = 1_024;
// The parser drops or rewrites these: what is stored would not be what is requested.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this refuses
const rewritten = /[\u0000-\u0020\u007f-\u009f\\]/;
/** The host follows two slashes: the parser accepts any number of them. */
const absolute = /^[a-z]+:\/\/[^/?#]/i;
const userInfo = /^[a-z]+:\/\/[^/?#]*@/i;

/** What is wrong with a webhook's URL, before its name is resolved: a text for a 400 that names the field. */
export function faultOfWebhookUrl(text: string, options: UrlOptions): string | undefined {
  if (text.length > maxCharacters) return `must be at most ${maxCharacters} characters`;
  if (rewritten.test(text)) return 'must not contain spaces, control characters or backslashes';
  const url = URL.parse(text);
  if (url === null || !absolute.test(text)) return 'must be a URL';
  if (url.protocol !== 'https:' && !(options.allowLoopbackHttp && url.protocol === 'http:'))
    return `must begin with https://${options.allowLoopbackHttp ? ', or http:// for this machine' : ''}`;
  if (userInfo.test(text)) return 'must not contain a user name or password';
  if (text.includes('#')) return 'must not contain a fragment (#)';
  if (url.port !== '' && Number(url.port) < firstFreePort) return `must have no port, or one from ${firstFreePort}`;
  return faultOfReach(staticReach(hostOf(url), options), url.protocol, options);
}

/** What is wrong with requests over this protocol to such an address, `undefined` for a name not resolved yet. */
export function faultOfReach(reach: Reach | undefined, protocol: string, options: UrlOptions): string | undefined {
  if (reach === 'loopback' && options.allowLoopbackHttp) return undefined;
  if (reach === 'loopback' || reach === 'never') return 'must lead to a public address';
  return protocol === 'https:' ? undefined : 'must begin with https://: http:// is for this machine only';
}

/** Without the brackets of IPv6. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1');

function staticReach(host: string, { deniedNetworks }: UrlOptions): Reach | undefined {
  if (isIP(host) !== 0) return reachOf(host, deniedNetworks);
  return isLocalhost(host) ? 'loopback' : undefined;
}
