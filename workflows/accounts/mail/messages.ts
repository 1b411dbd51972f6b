import { defineSignal } from '@temporalio/workflow'
import { SIGNALS } from '../../kernel/names.ts'

/** How it ended. */
export interface MailOutcome {
  readonly state: 'sent' | 'failed' | 'nothing'
}

/** Comes with every start; a mail never changes, so it says nothing. */
export const changedSignal = defineSignal(SIGNALS.changed)
