import type { Limits } from './limits.ts'
import { isOver, later, timeOfVersion } from './events/fold.ts'

/** An invoice whose payment failed at least once. */
export interface FailedInvoice {
  readonly id: string
  readonly subscriptionId: string
  readonly status: string
  readonly firstFailedAt: Date
  readonly lastFailedAt: Date
  readonly paidAt: Date | null
  readonly eventCreated: number
}

/** The subscription of such an invoice, when an event has reported it. */
export interface FailingSubscription {
  readonly id: string
  readonly status: string
  readonly eventCreated: number
}

/** A period in which a subscription was unpaid, over one or several invoices. */
export interface Episode {
  readonly subscriptionId: string
  /** The invoice that failed first. */
  readonly invoiceId: string
  readonly invoiceIds: readonly string[]
  readonly firstFailedAt: Date
  readonly lastFailedAt: Date
  /** Time at which everything was paid or the subscription ended; null while the episode lasts. */
  readonly resolvedAt: Date | null
  /** True when it ended by a payment. */
  readonly isRecovered: boolean
}

/**
 * Returns the episodes in which subscriptions were unpaid. Overlapping failures of one subscription's invoices form one
 * episode. A subscription without a first payment has none, since nothing was delivered for it.
 */
export function episodesOf(
  invoices: readonly FailedInvoice[],
  subscriptions: readonly FailingSubscription[],
): readonly Episode[] {
  const bySubscription = new Map(subscriptions.map((subscription) => [subscription.id, subscription]))
  const failed = invoices
    .filter(({ subscriptionId }) => bySubscription.get(subscriptionId)?.status.startsWith('incomplete') === false)
    .toSorted(
      (one, other) => one.firstFailedAt.getTime() - other.firstFailedAt.getTime() || (one.id < other.id ? -1 : 1),
    )
  return [...Map.groupBy(failed, ({ subscriptionId }) => subscriptionId)].flatMap(([subscriptionId, own]) => {
    const subscription = bySubscription.get(subscriptionId)
    const endedAt =
      subscription !== undefined && isOver(subscription.status) ? timeOfVersion(subscription.eventCreated) : null
    return mergeOverlaps(own.map((invoice) => episodeOf(invoice, endedAt)))
  })
}

function episodeOf(invoice: FailedInvoice, endedAt: Date | null): Episode {
  const { id, subscriptionId, status, firstFailedAt, lastFailedAt, paidAt } = invoice
  const settledAt = status === 'paid' || status === 'void' ? (paidAt ?? timeOfVersion(invoice.eventCreated)) : null
  return {
    subscriptionId,
    invoiceId: id,
    invoiceIds: [id],
    firstFailedAt,
    lastFailedAt,
    resolvedAt: settledAt ?? endedAt,
    isRecovered: settledAt !== null,
  }
}

/** Merges the episodes of one subscription, sorted by start. */
function mergeOverlaps(episodes: readonly Episode[]): readonly Episode[] {
  const merged: Episode[] = []
  for (const episode of episodes) {
    const last = merged.at(-1)
    if (last === undefined || (last.resolvedAt !== null && last.resolvedAt < episode.firstFailedAt)) {
      merged.push(episode)
      continue
    }
    const isOpen = last.resolvedAt === null || episode.resolvedAt === null
    merged[merged.length - 1] = {
      ...last,
      invoiceIds: [...last.invoiceIds, ...episode.invoiceIds],
      lastFailedAt: later(last.lastFailedAt, episode.lastFailedAt) ?? last.lastFailedAt,
      resolvedAt: isOpen ? null : later(last.resolvedAt, episode.resolvedAt),
      isRecovered: last.isRecovered && episode.isRecovered,
    }
  }
  return merged
}

const DAY_MS = 86_400_000

/** Returns the due times of the steps after a failure: two reminders, then the suspension. */
export function stepTimes(firstFailedAt: Date, limits: Limits): readonly [Date, Date, Date] {
  const { dunning_days_1: first, dunning_days_2: second, dunning_days_3: third } = limits
  const after = (days: number) => new Date(firstFailedAt.getTime() + days * DAY_MS)
  return [after(first), after(first + second), after(first + second + third)]
}
