import { words } from './split.ts'

/** The commonest English words, for spelling, copying and sorting. */
export const COMMON_WORDS = words(`
  the be to of and a in that have it for not on with he as you do at this but his by from they we say her she or an will
  my one all would there their what so up out if about who get which go me when make can like time no just him know take
  people into year your good some could them see other than then now look only come its over think also back after use
  two how our work first well way even new want because any these give day most us is was are been has had were said did
  made may part long place live where much too right mean old tell boy here home big high such follow act why ask men
  change went light kind off need house picture try again animal point mother world near build self earth father head
  stand own page should country found answer school grow study still learn plant cover food sun four between state keep
  eye never last let thought city tree cross farm hard start might story saw far sea draw left late run while press close
  night real life few north open seem together next white children begin got walk example ease paper group always music
  those both mark often letter until mile river car feet care second book carry took science eat room friend began idea
  fish mountain stop once base hear horse cut sure watch colour face wood main enough plain girl usual young ready above
  ever red list though feel talk bird soon body dog family direct leave song measure door product black short class wind
  question happen complete ship area half rock order fire south problem piece told knew pass since top whole king space
  heard best hour better true during hundred five remember step early hold west ground interest reach fast sing listen six
  table travel less morning ten simple several toward war lay against pattern slow centre love person money serve appear
  road map rain rule govern pull cold notice voice unit power town fine certain fly fall lead cry dark machine note wait
  plan figure star box noun field rest correct able pound done beauty drive stood contain front teach week final gave
  green quick develop ocean warm free minute strong special mind behind clear tail produce fact street inch multiply
  nothing course stay wheel full force blue object decide surface deep moon island foot system busy test record boat
  common gold possible plane age dry wonder laugh thousand ago ran check game shape hot miss brought heat snow bed bring
  sit perhaps fill east weight language among account address amount balance bank bill business button charge company
  computer contact credit customer date delay delivery email error file form help invoice issue message mobile month name
  number office online option package password payment phone price program project receipt refund report request result
  return review sale screen security service shop site support team transfer update user value website wrong please thank
  thanks sorry hello cannot important information different government development management environment experience
  available particular department education community university opportunity performance international organisation
  everything something anything someone everyone nobody today tomorrow yesterday tonight always usually sometimes maybe
  quickly slowly really very quite almost already however therefore although unless whether without within across along
  around below beside beyond despite except inside outside through throughout under upon`)

/** Short words that join sentences. */
export const CONNECTIVES = words('because but so and although while before after until since')

/** Words that filler speech uses. */
export const FILLERS = words('um uh like well actually basically so right okay please')

/** Days of the week, Monday first. */
export const WEEKDAYS = words('Monday Tuesday Wednesday Thursday Friday Saturday Sunday')

/** Months of the year. */
export const MONTHS = words('January February March April May June July August September October November December')

/** Letters of the NATO alphabet, a to z. */
export const NATO = words(`
  alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa quebec romeo sierra
  tango uniform victor whiskey xray yankee zulu`)
