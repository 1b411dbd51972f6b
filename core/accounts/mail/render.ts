import { escapeText as escapeHtml } from '../../kernel/wire/markup.ts'

/** Content of a mail. */
export interface MailContent {
  readonly subject: string
  readonly paragraphs: readonly string[]
  /** The one thing to click. */
  readonly action?: { readonly label: string; readonly link: string }
  /** Small print at the end. */
  readonly note?: string
}

/** The mail as plain text. */
export function renderText({ paragraphs, action, note }: MailContent): string {
  const parts = [
    ...paragraphs,
    ...(action === undefined ? [] : [`${action.label}:\n${action.link}`]),
    ...(note === undefined ? [] : [note]),
  ]
  return `${parts.join('\n\n')}\n`
}

/** Renders the mail as HTML: no pictures, scripts or external resources, at most one link. */
export function renderHtml({ subject, paragraphs, action, note }: MailContent): string {
  const style = 'font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; max-width: 34em; margin: 0 auto; padding: 24px'
  const button =
    'display: inline-block; padding: 10px 20px; border-radius: 6px; background: #1f4ed8; color: #ffffff; text-decoration: none'
  const lines = [
    ...paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`),
    ...(action === undefined
      ? []
      : [`<p><a style="${button}" href="${escapeHtml(action.link)}">${escapeHtml(action.label)}</a></p>`]),
    ...(note === undefined ? [] : [`<p style="color: #555555; font-size: 14px">${escapeHtml(note)}</p>`]),
  ]
  return [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>`,
    `<body><div style="${style}">`,
    ...lines,
    '</div></body></html>',
    '',
  ].join('\n')
}
