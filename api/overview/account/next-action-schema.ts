import type { z } from 'zod'
import type { NextAction } from '../../../core/overview/next-actions.ts'
import type { NextActionView } from '../../../core/overview/wire/account/next-action.ts'

/** A proposal. */
export function presentNextAction(action: NextAction): z.input<typeof NextActionView> {
  return {
    type: action.type,
    priority: action.priority,
    title: action.title,
    body: action.body,
    cta_label: action.ctaLabel,
    cta_href: action.ctaHref,
    params: { ...action.params },
    dismiss_key: action.dismissKey,
  }
}
