import { harmlessLine, harmlessText } from '../../../src/text/harmless.ts';
import { indentedJson } from '../../../src/text/indented-json.ts';
import { saidCount, saidMoment, saidSize, saidTime } from '../../../src/text/said.ts';
import { widthOf, wrapLine, wrapText } from '../../../src/text/width.ts';
import { onScreen, selectedIndex } from '../../model/message-list.ts';
import { chosen } from '../model/choice.ts';
import type { RequestDetail, RequestRow } from '../model/resources.ts';
import type { OpenRequest, WebhookState } from '../model/webhooks.ts';
import type { Style } from '../text/style.ts';
import { type ColumnLayout, columnLines, fieldLines } from './column.ts';
import type { Canvas } from './mail-lines.ts';
import { inWindow, roomLeft, rowLine } from './row.ts';

/** Returns the list of the workspace's webhooks. */
export function webhookLines({ all }: WebhookState, { width, height, style }: Canvas): string[] {
  const nameWidth = Math.max(8, Math.min(28, Math.floor(width * 0.26)));
  const countWidth = 14;
  const urlWidth = roomLeft(width, [nameWidth, countWidth]);
  return inWindow(all, height).map(({ item, isChosen }) =>
    rowLine(
      [
        { text: harmlessLine(item.name, 100), width: nameWidth },
        { text: harmlessLine(item.url, 300) + forwardTarget(item.forwardUrl), width: urlWidth, paint: style.dim },
        { text: saidCount(item.requestCount, 'request'), width: countWidth, right: true, paint: style.dim },
      ],
      width,
      isChosen ? 'selected' : 'no',
      style,
    ),
  );
}

function forwardTarget(url: string | null): string {
  return url === null ? '' : ` → ${harmlessLine(url, 300)}`;
}

/** Returns the list of a webhook's captured requests. */
export function requestLines({ requests, open }: WebhookState, { width, style, now }: Canvas): string[] {
  const rows = onScreen(requests);
  const selected = selectedIndex(requests) - requests.top;
  const times = rows.map(({ receivedAt }) => saidTime(receivedAt, now));
  const timeWidth = Math.max(5, ...times.map(widthOf));
  const sizeWidth = width >= 50 ? 6 : 0;
  const forwardWidth = rows.some(({ forward }) => forward !== 'none') ? (width >= 60 ? 14 : 4) : 0;
  const pathWidth = roomLeft(width, [7, 3, forwardWidth, sizeWidth, timeWidth]);
  return rows.map((row, index) =>
    rowLine(
      [
        { text: harmlessLine(row.method, 20), width: 7, paint: style.bold },
        { text: harmlessLine(row.path, 400), width: pathWidth },
        { text: row.responseStatus === 0 ? '–' : String(row.responseStatus), width: 3, right: true, paint: style.dim },
        { text: forwarded(row), width: forwardWidth, paint: row.forward === 'failed' ? style.bad : style.dim },
        { text: saidSize(row.sizeBytes), width: sizeWidth, right: true, paint: style.dim },
        { text: times[index] ?? '', width: timeWidth, right: true, paint: style.dim },
      ],
      width,
      index !== selected ? 'no' : open === null ? 'selected' : 'open',
      style,
    ),
  );
}

function forwarded({ forward, forwardHttpStatus }: RequestRow): string {
  if (forward === 'none') return '';
  const status = forwardHttpStatus === null ? '' : ` ${forwardHttpStatus}`;
  return forward === 'delivered' ? `→${status}` : forward === 'pending' ? '→ pending' : `→ failed${status}`;
}

/** Returns the lines of an open captured request. */
export function requestText(open: OpenRequest, webhooks: WebhookState, column: ColumnLayout): string[] {
  const { request, failure } = open;
  return columnLines(column, (room) => {
    const { width, style } = room;
    if (failure !== null) return wrapLine(harmlessLine(failure), width).map(style.bad);
    if (request === null) return [style.dim('loading …')];
    return detailLines(request, chosen(webhooks.all)?.name ?? '', room);
  });
}

function detailLines(request: RequestDetail, webhook: string, { width, style, now }: ColumnLayout): string[] {
  const { method, path, sourceIp, receivedAt, sizeBytes, responseStatus } = request;
  const origin = sourceIp === null ? '' : ` · from ${harmlessLine(sourceIp, 60)}`;
  const answer = responseStatus === 0 ? 'the connection was dropped' : `answered ${responseStatus}`;
  return [
    ...wrapLine(`${harmlessLine(method, 20)} ${harmlessLine(path, 2_000)}`, width).map(style.bold),
    style.dim(`${harmlessLine(webhook, 60)} · ${saidMoment(receivedAt, now)}${origin}`.slice(0, width)),
    style.dim(`${answer} · ${saidSize(sizeBytes)}`),
    ...forwardLines(request, width, style),
    '',
    ...fieldLines(request.headers, { width, style }),
    '',
    ...bodyLines(request, width, style),
  ];
}

function forwardLines(request: RequestDetail, width: number, style: Style): string[] {
  const { forward, forwardAttempts, forwardError, forwardResponse } = request;
  if (forward === 'none') return [];
  const said = `forwarded ${forwarded(request)}, ${saidCount(forwardAttempts, 'attempt')}`;
  const error = forwardError === null ? [] : wrapLine(harmlessLine(forwardError), width).map(style.bad);
  const answer = forwardResponse ? wrapText(harmlessText(forwardResponse.slice(0, 2_000)), width).slice(0, 8) : [];
  return [(forward === 'failed' ? style.bad : style.dim)(said), ...error, ...answer.map(style.dim)];
}

function bodyLines({ bodyText, sizeBytes, contentType }: RequestDetail, width: number, style: Style): string[] {
  if (bodyText === null) return [style.dim(`(${saidSize(sizeBytes)} of binary data)`)];
  if (bodyText === '') return [style.dim('(no body)')];
  return wrapText(harmlessText(pretty(bodyText, contentType)), width);
}

const MAX_PRETTY = 200_000;

function pretty(text: string, contentType: string | null): string {
  if (!/\bjson\b/i.test(contentType ?? '') || text.length > MAX_PRETTY) return text;
  return indentedJson(text) ?? text;
}
