import { phrases, words } from './split.ts'

/** Countable everyday things. */
export const OBJECTS = words(`
  table chair lamp sofa bed desk shelf mirror clock carpet curtain pillow blanket towel basket bottle cup plate bowl fork
  spoon knife glass pan pot kettle oven fridge toaster blender phone laptop tablet keyboard mouse screen printer camera
  radio television speaker headphone charger cable battery book pen pencil notebook folder envelope stamp letter parcel
  box bag backpack suitcase wallet purse key lock door window wall roof ladder hammer nail screw drill saw brush bucket
  shovel rope tent torch candle match map ticket passport coin card ring watch necklace hat coat jacket shirt dress skirt
  sweater scarf glove sock shoe boot belt umbrella ball doll kite puzzle guitar piano drum violin flute car bus truck
  train plane boat bicycle motorcycle wheel engine tyre seat helmet flag sign statue painting photo newspaper magazine
  poster calendar invoice receipt contract form report file cheque tree flower leaf stone rock shell feather bone egg
  apple pear orange lemon banana peach cherry grape melon tomato potato carrot onion cabbage pepper mushroom cake pie
  biscuit sandwich pizza burger sausage cheese loaf pancake cookie candy medicine pill bandage needle thread button zip
  machine robot tool switch socket pipe tap valve filter pump motor sensor cartridge tray drawer cupboard stool bench`)

/** Things that come in amounts. */
export const MATERIALS = words(`
  water milk juice coffee tea wine beer oil sugar salt flour rice bread butter honey pasta sand wood steel glass paper
  plastic cotton wool silk leather gold silver copper iron cement paint soap glue wax coal gas petrol ice snow soil hay
  corn wheat barley soup sauce vinegar mustard yeast cream yoghurt fish beef chicken pork lamb`)

/** Animals. */
export const ANIMALS = words(`
  dog cat horse cow sheep goat pig chicken duck goose rabbit mouse rat fox wolf bear lion tiger elephant giraffe zebra
  monkey gorilla kangaroo koala panda camel donkey deer squirrel hedgehog bat owl eagle hawk crow sparrow swan penguin
  parrot pigeon snake lizard turtle crocodile frog toad fish shark whale dolphin seal octopus crab lobster spider ant bee
  wasp fly butterfly moth beetle worm snail otter beaver badger mole`)

/** Colours. */
export const COLOURS = words(`
  red blue green yellow black white grey brown orange purple pink silver golden beige violet turquoise crimson navy`)

/** Adjectives that fit things and people. */
export const ADJECTIVES = words(`
  big small old new young tall short long wide narrow heavy light fast slow hot cold warm cool dry wet clean dirty full
  empty rich poor strong weak hard soft loud quiet bright dark sharp blunt thick thin deep shallow early late easy
  difficult cheap expensive safe dangerous happy sad angry calm kind cruel brave shy clever stupid honest lazy busy tired
  hungry thirsty sick healthy famous strange normal simple complex modern ancient beautiful ugly nice terrible wonderful
  broken lost open closed free ready careful careless fresh rotten sweet bitter sour salty round square flat smooth rough
  tiny huge giant perfect useful useless local foreign public private common rare secret silent sudden steady gentle`)

/** Words of opposite meaning. */
export const OPPOSITES: readonly (readonly [string, string])[] = phrases(`
  big small, old new, tall short, long brief, wide narrow, heavy light, fast slow, hot cold, dry wet, clean dirty,
  full empty, rich poor, strong weak, hard soft, loud quiet, bright dim, sharp blunt, thick thin, deep shallow,
  early late, easy difficult, cheap expensive, safe dangerous, happy sad, kind cruel, brave cowardly, clever stupid,
  open closed, sweet bitter, smooth rough, tiny huge, useful useless, public private, common rare, good bad, left right,
  up down, in out, yes no, day night, black white, love hate, buy sell, push pull, win lose, give take, start stop,
  begin end, come go, arrive leave, rise fall, remember forget, laugh cry, true false, first last, inside outside,
  above below, before after, always never, many few, more less, friend enemy, north south, east west, summer winter,
  accept refuse, build destroy, find lose, lend borrow, ask answer, teach learn, attack defend, increase decrease,
  arrival departure, entrance exit, profit loss, success failure, question answer, victory defeat, war peace, truth lie,
  wake sleep, enter leave, lock unlock, appear vanish, absent present, alive dead, ancient modern, asleep awake`).map(
  (pair) => {
    const [a = '', b = ''] = pair.split(' ')
    return [a, b]
  },
)

/** Things that shops sell. */
export const PRODUCTS = phrases(`
  wireless mouse, office chair, desk lamp, running shoes, rain jacket, coffee maker, garden hose, phone case,
  laptop stand, water bottle, yoga mat, baby monitor, hair dryer, steam iron, air fryer, rice cooker, bread knife,
  soup bowl, wine glass, bath towel, bed frame, floor mat, wall clock, photo frame, paper shredder, usb cable,
  power bank, screen protector, gaming headset, graphics card, memory card, hard drive, web camera, smart watch,
  bike helmet, tennis racket, football boots, hiking backpack, sleeping bag, camping stove, fishing rod, tool box,
  paint brush, door handle, light bulb, smoke alarm, garden chair, lawn mower, flower pot, bird feeder, dog leash,
  cat litter, fish tank, toy train, board game, jigsaw puzzle, school bag, pencil case, winter coat, wool socks,
  leather belt, silk scarf, sun glasses, gold ring, hand cream, face mask, tooth brush, shaving foam, vitamin tablets`)

/** Fruits and vegetables, drinks, dishes: words by kind, for questions about kinds. */
export const KINDS: Readonly<Record<string, readonly string[]>> = {
  fruit: words('apple pear orange lemon banana peach cherry grape melon plum mango kiwi fig strawberry'),
  vegetable: words('potato carrot onion cabbage pepper spinach broccoli celery leek radish turnip pumpkin'),
  drink: words('water milk juice coffee tea wine beer lemonade cocoa cider soda'),
  animal: words('dog cat horse cow sheep goat rabbit fox wolf bear lion tiger elephant monkey'),
  bird: words('owl eagle hawk crow sparrow swan penguin parrot pigeon robin gull'),
  colour: words('red blue green yellow black white grey brown purple pink'),
  clothing: words('hat coat jacket shirt dress skirt sweater scarf glove sock boot'),
  vehicle: words('car bus truck train plane boat bicycle motorcycle tram ferry'),
  furniture: words('table chair sofa bed desk shelf stool bench cupboard wardrobe'),
  instrument: words('guitar piano drum violin flute trumpet cello harp clarinet'),
  country: words('France Germany Spain Italy Poland Egypt Kenya India China Japan Brazil Canada'),
  sport: words('football tennis golf rugby hockey cricket boxing rowing judo'),
  tool: words('hammer saw drill wrench pliers chisel shovel rake axe'),
  metal: words('gold silver copper iron steel tin lead zinc nickel'),
}
