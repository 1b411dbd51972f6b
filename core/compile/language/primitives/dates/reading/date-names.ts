// Written by test/compile/core/language/dates/write-date-names.ts from cldr-dates-full 48.2.0; do not edit.

/** Names of one locale, folded: entries between bars, spellings of an entry between commas; weekdays from Monday. */
export interface LocaleNames {
  readonly months: string
  readonly weekdays: string
  readonly am: string
  readonly pm: string
  /** Words that stand between the parts of dates. */
  readonly words: string
}

export const DATE_NAMES = {
  en: {
    months:
      'january,jan|february,feb|march,mar|april,apr|may|june,jun|july,jul|august,aug|september,sep,sept|october,oct|november,nov|december,dec',
    weekdays:
      'monday,mon,mo|tuesday,tue,tu,tues|wednesday,wed,we|thursday,thu,th,thur,thurs|friday,fri,fr|saturday,sat,sa|sunday,sun,su',
    am: 'am,a.m,a. m',
    pm: 'pm,p.m,p. m',
    words: 'at,of,on,the',
  },
  de: {
    months:
      'januar,jan|februar,feb|marz,mar|april,apr|mai|juni,jun|juli,jul|august,aug|september,sept,sep|oktober,okt|november,nov|dezember,dez',
    weekdays: 'montag,mo|dienstag,di|mittwoch,mi|donnerstag,do|freitag,fr|samstag,sa|sonntag,so',
    am: 'am',
    pm: 'pm',
    words: 'am,dem,den,uhr,um',
  },
  fr: {
    months:
      'janvier,janv|fevrier,fevr|mars|avril,avr|mai|juin|juillet,juil|aout|septembre,sept|octobre,oct|novembre,nov|decembre,dec',
    weekdays: 'lundi,lun,lu|mardi,mar,ma|mercredi,mer,me|jeudi,jeu,je|vendredi,ven,ve|samedi,sam,sa|dimanche,dim,di',
    am: 'am',
    pm: 'pm',
    words: 'a,h,le',
  },
  es: {
    months:
      'enero,ene|febrero,feb|marzo,mar|abril,abr|mayo,may|junio,jun|julio,jul|agosto,ago|septiembre,sept|octubre,oct|noviembre,nov|diciembre,dic',
    weekdays: 'lunes,lun,lu|martes,mar,ma|miercoles,mie,mi|jueves,jue,ju|viernes,vie,vi|sabado,sab,sa|domingo,dom,do',
    am: 'a. m,a.m,a m,am',
    pm: 'p. m,p.m,p m,pm',
    words: 'a,de,del,el,horas,la,las',
  },
  it: {
    months:
      'gennaio,gen|febbraio,feb|marzo,mar|aprile,apr|maggio,mag|giugno,giu|luglio,lug|agosto,ago|settembre,set|ottobre,ott|novembre,nov|dicembre,dic',
    weekdays: 'lunedi,lun|martedi,mar|mercoledi,mer|giovedi,gio|venerdi,ven|sabato,sab|domenica,dom',
    am: 'am',
    pm: 'pm',
    words: 'alle,del,il,ore',
  },
  pt: {
    months:
      'janeiro,jan|fevereiro,fev|marco,mar|abril,abr|maio,mai|junho,jun|julho,jul|agosto,ago|setembro,set|outubro,out|novembro,nov|dezembro,dez',
    weekdays:
      'segunda-feira,seg|terca-feira,ter|quarta-feira,qua|quinta-feira,qui|sexta-feira,sex|sabado,sab|domingo,dom',
    am: 'am',
    pm: 'pm',
    words: 'a,as,de,horas',
  },
  nl: {
    months:
      'januari,jan|februari,feb|maart,mrt|april,apr|mei|juni,jun|juli,jul|augustus,aug|september,sep|oktober,okt|november,nov|december,dec',
    weekdays: 'maandag,ma|dinsdag,di|woensdag,wo|donderdag,do|vrijdag,vr|zaterdag,za|zondag,zo',
    am: 'a.m,am',
    pm: 'p.m,pm',
    words: 'om,uur',
  },
  sv: {
    months:
      'januari,jan|februari,feb|mars|april,apr|maj|juni|juli|augusti,aug|september,sep|oktober,okt|november,nov|december,dec',
    weekdays: 'mandag,man,ma|tisdag,tis,ti|onsdag,ons,on|torsdag,tors,to|fredag,fre,fr|lordag,lor,lo|sondag,son,so',
    am: 'fm',
    pm: 'em',
    words: 'den,kl',
  },
  da: {
    months:
      'januar,jan|februar,feb|marts,mar|april,apr|maj|juni,jun|juli,jul|august,aug|september,sep|oktober,okt|november,nov|december,dec',
    weekdays: 'mandag,man,ma|tirsdag,tirs,ti|onsdag,ons,on|torsdag,tors,to|fredag,fre,fr|lørdag,lør,lø|søndag,søn,sø',
    am: 'am',
    pm: 'pm',
    words: 'den,kl',
  },
  nb: {
    months:
      'januar,jan|februar,feb|mars,mar|april,apr|mai|juni,jun|juli,jul|august,aug|september,sep|oktober,okt|november,nov|desember,des',
    weekdays: 'mandag,man,ma|tirsdag,tir,ti|onsdag,ons,on|torsdag,tor,to|fredag,fre,fr|lørdag,lør,lø|søndag,søn,sø',
    am: 'a.m,am',
    pm: 'p.m,pm',
    words: 'kl',
  },
  fi: {
    months:
      'tammikuuta,tammi,tammikuu|helmikuuta,helmi,helmikuu|maaliskuuta,maalis,maaliskuu|huhtikuuta,huhti,huhtikuu|toukokuuta,touko,toukokuu|kesakuuta,kesa,kesakuu|heinakuuta,heina,heinakuu|elokuuta,elo,elokuu|syyskuuta,syys,syyskuu|lokakuuta,loka,lokakuu|marraskuuta,marras,marraskuu|joulukuuta,joulu,joulukuu',
    weekdays:
      'maanantaina,ma,maanantai|tiistaina,ti,tiistai|keskiviikkona,ke,keskiviikko|torstaina,to,torstai|perjantaina,pe,perjantai|lauantaina,la,lauantai|sunnuntaina,su,sunnuntai',
    am: 'ap',
    pm: 'ip',
    words: 'klo',
  },
  pl: {
    months:
      'stycznia,sty,styczen|lutego,lut,luty|marca,mar,marzec|kwietnia,kwi,kwiecien|maja,maj|czerwca,cze,czerwiec|lipca,lip,lipiec|sierpnia,sie,sierpien|wrzesnia,wrz,wrzesien|pazdziernika,paz,pazdziernik|listopada,lis,listopad|grudnia,gru,grudzien',
    weekdays: 'poniedziałek,pon|wtorek,wt,wto|sroda,sr,sro|czwartek,czw|piatek,pt,pia|sobota,sob|niedziela,niedz,nie',
    am: 'am',
    pm: 'pm',
    words: 'godz,r,roku',
  },
  cs: {
    months:
      'ledna,led,leden|unora,uno,unor|brezna,bre,brezen|dubna,dub,duben|kvetna,kve,kveten|cervna,cvn,cerven|cervence,cvc,cervenec|srpna,srp,srpen|zari,zar|rijna,rij,rijen|listopadu,lis,listopad|prosince,pro,prosinec',
    weekdays: 'pondeli,po|utery,ut|streda,st|ctvrtek,ct|patek,pa|sobota,so|nedele,ne',
    am: 'dop',
    pm: 'odp',
    words: 'v',
  },
  hu: {
    months:
      'januar,jan|februar,febr|marcius,marc|aprilis,apr|majus,maj|junius,jun|julius,jul|augusztus,aug|szeptember,szept|oktober,okt|november,nov|december,dec',
    weekdays: 'hetfo,h|kedd,k|szerda,sze|csutortok,cs|pentek,p|szombat,szo|vasarnap,v',
    am: 'de',
    pm: 'du',
    words: '',
  },
  ro: {
    months:
      'ianuarie,ian|februarie,feb|martie,mar|aprilie,apr|mai|iunie,iun|iulie,iul|august,aug|septembrie,sept|octombrie,oct|noiembrie,nov|decembrie,dec',
    weekdays: 'luni,lun,lu|marti,mar,ma|miercuri,mie,mi|joi|vineri,vin,vi|sambata,sam,sa|duminica,dum,du',
    am: 'a.m,am',
    pm: 'p.m,pm',
    words: 'la',
  },
  bg: {
    months:
      'януари,яну|февруари,фев|март|април,апр|маи|юни|юли|август,авг|септември,сеп|октомври,окт|ноември,ное|декември,дек',
    weekdays: 'понеделник,пн|вторник,вт|сряда,ср|четвъртък,чт|петък,пт|събота,сб|неделя,нд',
    am: 'пр.об,проб,am',
    pm: 'сл.об,слоб,pm',
    words: 'в,г,ч',
  },
  el: {
    months:
      'ιανουαριου,ιαν,ιανουαριος|φεβρουαριου,φεβ,φεβρουαριος|μαρτιου,μαρ,μαρτιος|απριλιου,απρ,απριλιος|μαιου,μαι,μαιος|ιουνιου,ιουν,ιουνιος|ιουλιου,ιουλ,ιουλιος|αυγουστου,αυγ,αυγουστος|σεπτεμβριου,σεπ,σεπτεμβριος|οκτωβριου,οκτ,οκτωβριος|νοεμβριου,νοε,νοεμβριος|δεκεμβριου,δεκ,δεκεμβριος',
    weekdays: 'δευτερα,δευ,δε|τριτη,τρι,τρ|τεταρτη,τετ,τε|πεμπτη,πεμ,πε|παρασκευη,παρ,πα|σαββατο,σαβ,σα|κυριακη,κυρ,κυ',
    am: 'π.μ,πμ',
    pm: 'μ.μ,μμ',
    words: 'στις',
  },
  ru: {
    months:
      'января,янв,январь|февраля,февр,февраль|марта,мар,март|апреля,апр,апрель|мая,маи|июня,июн,июнь|июля,июл,июль|августа,авг,август|сентября,сент,сентябрь|октября,окт,октябрь|ноября,нояб,ноябрь|декабря,дек,декабрь',
    weekdays: 'понедельник,пн|вторник,вт|среда,ср|четверг,чт|пятница,пт|суббота,сб|воскресенье,вс',
    am: 'am',
    pm: 'pm',
    words: 'в,г,года',
  },
  uk: {
    months:
      'січня,січ,січень|лютого,лют,лютии|березня,бер,березень|квітня,квіт,квітень|травня,трав,травень|червня,черв,червень|липня,лип,липень|серпня,серп,серпень|вересня,вер,вересень|жовтня,жовт,жовтень|листопада,лист,листопад|грудня,груд,грудень',
    weekdays: "понеділок,пн|вівторок,вт|середа,ср|четвер,чт|п'ятниця,пт|субота,сб|неділя,нд",
    am: 'дп',
    pm: 'пп',
    words: 'о,р,року',
  },
  tr: {
    months:
      'ocak,oca|subat,sub|mart,mar|nisan,nis|mayis,may|haziran,haz|temmuz,tem|agustos,agu|eylul,eyl|ekim,eki|kasim,kas|aralik,ara',
    weekdays: 'pazartesi,pzt,pt|sali,sal,sa|carsamba,car,ca|persembe,per,pe|cuma,cum,cu|cumartesi,cmt,ct|pazar,paz,pa',
    am: 'oo',
    pm: 'os',
    words: '',
  },
  ar: {
    months: 'يناير|فبراير|مارس|أبريل|مايو|يونيو|يوليو|أغسطس|سبتمبر|أكتوبر|نوفمبر|ديسمبر',
    weekdays: 'الاثنين,إثنين|الثلاثاء,ثلاثاء|الأربعاء,أربعاء|الخميس,خميس|الجمعة,جمعة|السبت,سبت|الأحد,أحد',
    am: 'ص,صباحًا',
    pm: 'م,مساءً',
    words: 'في',
  },
  he: {
    months:
      "ינואר,ינו',בינואר,בינו'|פברואר,פבר',בפברואר,בפבר'|מרץ,במרץ|אפריל,אפר',באפריל,באפר'|מאי,במאי|יוני,ביוני|יולי,ביולי|אוגוסט,אוג',באוגוסט,באוג'|ספטמבר,ספט',בספטמבר,בספט'|אוקטובר,אוק',באוקטובר,באוק'|נובמבר,נוב',בנובמבר,בנוב'|דצמבר,דצמ',בדצמבר,בדצמ'",
    weekdays:
      "יום שני,יום ב',ב'|יום שלישי,יום ג',ג'|יום רביעי,יום ד',ד'|יום חמישי,יום ה',ה'|יום שישי,יום ו',ו'|יום שבת,שבת,ש'|יום ראשון,יום א',א'",
    am: 'am',
    pm: 'pm',
    words: 'בשעה,ה',
  },
  hi: {
    months: 'जनवरी,जन|फ़रवरी,फ़र|मार्च|अप्रैल|मई|जून|जुलाई,जुल|अगस्त,अग|सितंबर,सित|अक्टूबर,अक्टू|नवंबर,नव|दिसंबर,दिस',
    weekdays: 'सोमवार,सोम,सो|मंगलवार,मंगल,मं|बुधवार,बुध,बु|गुरुवार,गुरु,गु|शुक्रवार,शुक्र,शु|शनिवार,शनि,श|रविवार,रवि,र',
    am: 'am',
    pm: 'pm',
    words: 'को,बजे',
  },
  bn: {
    months:
      'জানুয়ারি,জানু|ফেব্রুয়ারি,ফেব|মার্চ|এপ্রিল,এপ্রি|মে|জুন|জুলাই,জুল|আগস্ট,আগ|সেপ্টেম্বর,সেপ,সেপ্ট|অক্টোবর,অক্টো|নভেম্বর,নভে|ডিসেম্বর,ডিসে',
    weekdays: 'সোমবার,সোম,সোঃ|মঙ্গলবার,মঙ্গল,মঃ|বুধবার,বুধ,বুঃ|বৃহস্পতিবার,বৃহস্পতি,বৃঃ|শুক্রবার,শুক্র,শুঃ|শনিবার,শনি|রবিবার,রবি,রঃ',
    am: 'am',
    pm: 'pm',
    words: 'এ',
  },
  th: {
    months:
      'มกราคม,ม.ค,มค|กุมภาพันธ์,ก.พ,กพ|มีนาคม,มี.ค,มีค|เมษายน,เม.ย,เมย|พฤษภาคม,พ.ค,พค|มิถุนายน,มิ.ย,มิย|กรกฎาคม,ก.ค,กค|สิงหาคม,ส.ค,สค|กันยายน,ก.ย,กย|ตุลาคม,ต.ค,ตค|พฤศจิกายน,พ.ย,พย|ธันวาคม,ธ.ค,ธค',
    weekdays: 'วันจันทร์,จันทร์,จ|วันอังคาร,อังคาร,อ|วันพุธ,พุธ,พ|วันพฤหัสบดี,พฤหัส,พฤ|วันศุกร์,ศุกร์,ศ|วันเสาร์,เสาร์,ส|วันอาทิตย์,อาทิตย์,อา',
    am: 'ก่อนเที่ยง,am',
    pm: 'หลังเที่ยง,pm',
    words: 'ค.ศ,ที่,น,นาที,นาฬิกา,วินาที,เวลา',
  },
  vi: {
    months:
      'thang 1,thg 1|thang 2,thg 2|thang 3,thg 3|thang 4,thg 4|thang 5,thg 5|thang 6,thg 6|thang 7,thg 7|thang 8,thg 8|thang 9,thg 9|thang 10,thg 10|thang 11,thg 11|thang 12,thg 12',
    weekdays:
      'thu hai,thu 2,t2|thu ba,thu 3,t3|thu tu,thu 4,t4|thu nam,thu 5,t5|thu sau,thu 6,t6|thu bay,thu 7,t7|chu nhat,cn',
    am: 'sa',
    pm: 'ch',
    words: 'gio,luc,nam,ngay,thang',
  },
  id: {
    months:
      'januari,jan|februari,feb|maret,mar|april,apr|mei|juni,jun|juli,jul|agustus,agu|september,sep|oktober,okt|november,nov|desember,des',
    weekdays: 'senin,sen|selasa,sel|rabu,rab|kamis,kam|jumat,jum|sabtu,sab|minggu,min',
    am: 'am',
    pm: 'pm',
    words: 'pukul',
  },
  ja: {
    months: '|||||||||||',
    weekdays: '月曜日,月|火曜日,火|水曜日,水|木曜日,木|金曜日,金|土曜日,土|日曜日,日',
    am: '午前',
    pm: '午後',
    words: '',
  },
  zh: {
    months: '一月|二月|三月|四月|五月|六月|七月|八月|九月|十月|十一月|十二月',
    weekdays: '星期一,周一|星期二,周二|星期三,周三|星期四,周四|星期五,周五|星期六,周六|星期日,周日',
    am: '上午',
    pm: '下午',
    words: '周,星期',
  },
  ko: {
    months: '|||||||||||',
    weekdays: '월요일,월|화요일,화|수요일,수|목요일,목|금요일,금|토요일,토|일요일,일',
    am: '오전',
    pm: '오후',
    words: '',
  },
} as const satisfies Readonly<Record<string, LocaleNames>>
