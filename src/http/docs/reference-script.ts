import { createHash } from 'node:crypto';

/**
 * The script of the page. It can send and copy requests, filter the operations and fold them. It inserts answers of a
 * server as text, never as markup.
 */
export const REFERENCE_SCRIPT = `'use strict';
const base = location.origin;
const byId = (id) => document.getElementById(id);
const narrow = matchMedia('(max-width: 60rem)');
const menu = document.querySelector('nav > details');
const fold = () => { menu.open = !narrow.matches; };
fold();
narrow.addEventListener('change', fold);
menu.addEventListener('click', (event) => { if (narrow.matches && event.target.closest('a')) menu.open = false; });

const reveal = () => {
  const target = location.hash.length > 1 && byId(decodeURIComponent(location.hash.slice(1)));
  const details = target && target.querySelector(':scope > details');
  if (details) { details.open = true; target.scrollIntoView(); }
};
addEventListener('hashchange', reveal);
reveal();

const filter = byId('filter');
filter.hidden = false;
filter.addEventListener('input', () => {
  const words = filter.value.toLowerCase().split(/\\s+/);
  for (const item of document.querySelectorAll('nav li')) {
    const text = (item.textContent + item.firstElementChild.hash).toLowerCase();
    item.hidden = !words.every((word) => text.includes(word));
  }
  for (const list of document.querySelectorAll('nav ul')) {
    list.hidden = list.previousElementSibling.hidden = [...list.children].every((item) => item.hidden);
  }
});

const shell = (text) => "'" + text.replaceAll("'", "'\\\\''") + "'";

const read = (form) => {
  const { method, path, type } = form.dataset;
  const query = new URLSearchParams();
  const headers = {};
  const missing = [];
  let filled = path;
  let body;
  for (const field of form.querySelectorAll('[data-in]')) {
    const { name, value, dataset } = field;
    if (dataset.in === 'path') {
      if (value === '') missing.push(field);
      filled = filled.replace('{' + name + '}', value === '' ? '$' + name : encodeURIComponent(value));
    } else if (dataset.in === 'body') body = type === 'message/rfc822' ? value.replace(/\\r?\\n/g, '\\r\\n') : value;
    else if (value !== '' && dataset.in === 'query') query.set(name, value);
    else if (value !== '') headers[name] = value;
  }
  const token = path.startsWith('/v1') ? byId('key').value : byId('token') ? byId('token').value : '';
  if (token !== '') headers.Authorization = 'Bearer ' + token;
  if (type !== undefined) headers['Content-Type'] = type;
  const search = query.size === 0 ? '' : '?' + query;
  return { method, url: base + filled + search, headers, body, missing };
};

const curlOf = ({ method, url, headers, body, missing }, mask) => {
  const lines = ['curl -s' + (method === 'GET' ? '' : ' -X ' + method) + ' ' + (missing.length > 0 ? '"' + url + '"' : shell(url))];
  for (const [name, value] of Object.entries(headers)) {
    lines.push('  -H ' + (mask && name === 'Authorization' ? shell('Authorization: Bearer ' + value.slice(7, 20) + '…') : shell(name + ': ' + value)));
  }
  if (body !== undefined) lines.push('  --data-binary ' + shell(body));
  return lines.join(' \\\\\\n');
};

const copyText = async (text) => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
};

const pretty = (text, type) => {
  if (!type.includes('json')) return text;
  try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; }
};

const show = (form, title, text, ok) => {
  const out = form.querySelector('.response');
  const head = document.createElement('p');
  head.className = ok ? 'ok' : 'bad';
  head.textContent = title;
  const pre = document.createElement('pre');
  pre.tabIndex = 0;
  pre.textContent = text;
  out.replaceChildren(head, ...(text === '' ? [] : [pre]));
  out.hidden = false;
};

const listen = (form, url, token) => {
  const button = form.querySelector('.send');
  if (form.socket) return form.socket.close();
  const names = token ? ['mailcap.feed', 'mailcap.token.' + btoa(token).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')] : [];
  const heard = [];
  const socket = form.socket = new WebSocket(url.replace(/^http/, 'ws'), names);
  button.textContent = 'Stop';
  socket.onopen = () => show(form, '101 Listening', '', true);
  socket.onmessage = ({ data }) => {
    heard.unshift(pretty(data, 'json'));
    heard.splice(20);
    show(form, '101 Listening: ' + heard.length + ' shown', heard.join('\\n'), true);
  };
  socket.onclose = ({ code }) => {
    form.socket = null;
    button.textContent = 'Try it';
    show(form, 'Closed: ' + code, heard.join('\\n'), code === 1005 || code === 1000);
  };
};

const send = async (form) => {
  const request = read(form);
  const { method, url, headers, body, missing } = request;
  if (missing.length > 0) return missing[0].focus();
  if ('socket' in form.dataset) return listen(form, url, byId('token') && byId('token').value);
  const button = form.querySelector('.send');
  button.disabled = true;
  const started = performance.now();
  try {
    const answer = await fetch(url, { method, headers, body });
    const type = answer.headers.get('content-type') || '';
    const text = await answer.text();
    const title = answer.status + ' ' + answer.statusText + ' · ' + Math.round(performance.now() - started) + ' ms';
    show(form, title, text.length > 200000 ? pretty(text, '').slice(0, 200000) + '…' : pretty(text, type), answer.ok);
  } catch (error) {
    show(form, 'No answer: ' + error.message, '', false);
  } finally {
    button.disabled = false;
  }
};

const forms = [...document.querySelectorAll('form.try')];
const write = (form) => { form.querySelector('.curl').textContent = curlOf(read(form), true); };
for (const form of forms) {
  const copy = form.querySelector('.copy');
  form.querySelector('.send').hidden = copy.hidden = false;
  form.addEventListener('input', () => write(form));
  form.addEventListener('submit', (event) => { event.preventDefault(); void send(form); });
  copy.addEventListener('click', async () => {
    const done = await copyText(curlOf(read(form), false));
    copy.textContent = done ? 'Copied' : 'Could not copy';
    copy.animate([], { duration: 1500 }).onfinish = () => { copy.textContent = 'Copy'; };
  });
  write(form);
}
for (const field of document.querySelectorAll('header input')) field.addEventListener('input', () => forms.forEach(write));
`;

/** The hash of the script, as a Content-Security-Policy names it. */
export const REFERENCE_SCRIPT_HASH = `sha256-${createHash('sha256').update(REFERENCE_SCRIPT).digest('base64')}`;
