/** The pages of a caller's sign-in: the link, and the return from the authorization server. */
import { type Context, Hono } from 'hono';
import { PAGE_HEADERS, pageOf } from '../../../sources/upstream/sign-in/redirect-listener.js';
import { SignInError } from '../../../sources/upstream/sign-in/sign-in-error.js';
import type { CallerSignIns } from './caller-sign-ins.js';
import { DOCUMENT_PATH } from './client-document.js';

const COOKIE = 'footbridge_sign_in';
const COOKIE_SECONDS = 600;
/** How long authorization servers may keep the client ID metadata document. */
const DOCUMENT_SECONDS = 300;
const TICKET = /^[\w-]{43}$/;
const CONFIRM_POLICY = PAGE_HEADERS['content-security-policy'].replace("form-action 'none'", "form-action 'self' https: http:");

/** Relative to `/sign-in`. */
export function signInPages(signIns: CallerSignIns): Hono {
  const app = new Hono();
  const { document } = signIns;
  if (document.url !== undefined)
    app.get(DOCUMENT_PATH, (context) => context.json(document.metadata, 200, { 'cache-control': `max-age=${DOCUMENT_SECONDS}` }));
  app.get('/callback', async (context) => {
    try {
      const { caller, server } = await signIns.complete(new URL(context.req.url).searchParams, cookiesOf(context));
      return page(context, 200, 'Signed in', `${caller} can now use ${server}. You can close this window.`);
    } catch (cause) {
      if (!(cause instanceof SignInError)) throw cause;
      return page(context, 400, 'Sign-in failed', cause.message);
    }
  });
  app.get('/:ticket', async (context) => {
    const ticket = context.req.param('ticket');
    const found = TICKET.test(ticket) ? await signIns.invitation(ticket) : undefined;
    if (found === undefined) return page(context, 410, 'This link has expired', 'Ask your assistant for a new one.');
    const { caller, issuer, server } = found;
    const text = `${caller} asked to use ${server}, which requires a sign-in at ${issuer}. Continue only if you are ${caller} and asked for this: the login is used for ${caller} alone.`;
    const response = page(context, 200, `Sign in to ${server}`, text, '<form method="post"><button>Continue</button></form>');
    response.headers.set('content-security-policy', CONFIRM_POLICY);
    return response;
  });
  app.post('/:ticket', async (context) => {
    const ticket = context.req.param('ticket');
    // Another site must not be able to start it.
    if (!isSameSite(context)) return page(context, 403, 'Not allowed', 'Open the link that your assistant gave you.');
    const accepted = TICKET.test(ticket) ? await signIns.accept(ticket, cookiesOf(context)[0]) : undefined;
    if (accepted === undefined)
      return page(
        context,
        410,
        'This link cannot be used',
        'It has expired, or was opened in another browser. Ask your assistant for a new one.',
      );
    const secure = signIns.isEncrypted ? '; Secure' : '';
    context.header(
      'set-cookie',
      `${COOKIE}=${accepted.cookie}; Path=${signIns.path}; Max-Age=${COOKIE_SECONDS}; HttpOnly; SameSite=Lax${secure}`,
    );
    context.header('cache-control', 'no-store');
    context.header('referrer-policy', 'no-referrer');
    return context.redirect(accepted.page, 303);
  });
  return app;
}

function page(context: Context, status: 200 | 400 | 403 | 410, title: string, text: string, rest?: string): Response {
  return context.body(pageOf(title, text, rest), status, PAGE_HEADERS);
}

function cookiesOf(context: Context): readonly string[] {
  return (context.req.header('cookie') ?? '')
    .split(';')
    .map((each) => each.trim().split('='))
    .flatMap(([name, value]) => (name === COOKIE && value !== undefined && /^[\w-]{43}$/.test(value) ? [value] : []));
}

/** Browsers send both headers with a form. Other clients have no cookie that could be misused. */
function isSameSite(context: Context): boolean {
  const site = context.req.header('sec-fetch-site');
  return site === undefined || site === 'same-origin';
}
