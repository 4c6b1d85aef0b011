import type { Secrecy } from './setting.ts';

const hidden = '[redacted]';

/** A variable's text as logs and reports may show it (I10). Lists of addresses are shown address by address. */
export function shownText(text: string, secrecy: Secrecy): string {
  switch (secrecy) {
    case 'none':
      return text;
    case 'whole':
      return hidden;
    case 'credentials':
      return shownUrl(text, secrecy);
    case 'path':
      return text
        .split(',')
        .map((one) => shownUrl(one.trim(), secrecy))
        .join(',');
  }
}

function shownUrl(text: string, secrecy: 'credentials' | 'path'): string {
  if (!URL.canParse(text)) return hidden;
  const { protocol, host, pathname } = new URL(text);
  return `${protocol}//${host}${secrecy === 'credentials' && pathname !== '/' ? pathname : ''}`;
}
