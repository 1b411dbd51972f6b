import { confirmPage } from './entry/confirm.js'
import { invitationPage } from './entry/invitation.js'
import { accountPage } from './account/account.js'
import { sessionsPage } from './account/sessions.js'
import { artifactPage } from './artifacts/artifact.js'
import { artifactsPage } from './artifacts/artifacts.js'
import { auditPage } from './audit.js'
import { billingPage } from './billing/billing.js'
import { compilePage } from './jobs/compile.js'
import { jobPage } from './jobs/job.js'
import { jobsPage } from './jobs/jobs.js'
import { keysPage } from './keys/keys.js'
import { peoplePage } from './people/people.js'
import { teamPage } from './people/team.js'
import { usagePage } from './usage.js'

/**
 * @typedef {object} PageCall
 * @property {string} argument what follows the page's name in the address
 * @property {AbortSignal} signal aborted when the page is left
 * @property {import('../session.js').Session} session
 * @property {() => void} reload shows the page anew, with what is known of the account; nothing once it was left
 * @property {() => void} restart shows the page of the address for another session, whatever is shown now
 */
/**
 * @typedef {object} Page
 * @property {string} title
 * @property {string} [within] the page of the navigation that this one belongs to
 * @property {string} scope what one must be allowed to do for the page to be offered
 * @property {(call: PageCall) => Promise<readonly Node[]>} load
 */
/**
 * A page for people who are not signed in.
 *
 * @typedef {object} EntryCall
 * @property {string} argument what the link of the mail brought
 * @property {string | undefined} notice why a person whose session ended sees this page
 * @property {(path?: string) => void} onSignedIn goes on to a path of this page, or to the one that was asked for
 */
/** @typedef {{ title: string, show: (call: EntryCall) => readonly Node[] }} EntryPage */

/**
 * The pages by their names in addresses. The navigation lists the top-level pages in this order.
 *
 * @type {Readonly<Record<string, Page>>}
 */
export const PAGES = {
  jobs: jobsPage,
  compile: compilePage,
  job: jobPage,
  artifacts: artifactsPage,
  artifact: artifactPage,
  usage: usagePage,
  billing: billingPage,
  keys: keysPage,
  people: peoplePage,
  team: teamPage,
  sessions: sessionsPage,
  audit: auditPage,
  account: accountPage,
}

/**
 * The pages of mailed links.
 *
 * @type {Readonly<Record<string, EntryPage>>}
 */
export const LINKS = { confirm: confirmPage, invitation: invitationPage }
