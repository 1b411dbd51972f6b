import { defineSignal } from '@temporalio/workflow'
import { SIGNALS } from '../../kernel/names.ts'

/** What starts the delivery of a mail: ids only. The id of the workflow is that of the mail. */
export interface MailInput {
  readonly workflowId: string
  readonly tenantId: string | null
}

/** How it ended. */
export interface MailOutcome {
  readonly state: 'sent' | 'failed' | 'nothing'
}

/** Comes with every start; a mail never changes, so it says nothing. */
export const changedSignal = defineSignal(SIGNALS.changed)
