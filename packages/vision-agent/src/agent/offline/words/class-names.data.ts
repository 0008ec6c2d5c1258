import { COCO_CLASSES } from "@vision-agent/vision-engine";

/** The class or classes of a detector → what people call it. Plurals in -s and -es are read by rule. */
const CALLED: Readonly<Record<string, string>> = {
  person:
    "people, persons, ppl, pedestrian, human, man, men, woman, women, child, children, kid, worker, visitor, customer, passer, passersby, passers-by, somebody, someone, anybody, anyone, intruder, trespasser, loiterer, courier, postman, mailman, driver, shopper, client, neighbor, neighbour, stranger, burglar, thief, thieves, guest, employee, staff, guy, boy, girl, lady, ladies, adult, baby, crowd, nobody, no one, noone, no-one, everyone, everybody, delivery man, delivery person, delivery driver, folk, folks, fella, bloke, dude, chap, lad, lass, teen, teenager, toddler, youngster, pupil, student, cleaner, gardener, plumber, janitor, tenant, resident, passenger, jogger, runner, walker, hiker, biker, builder, technician, engineer, operator, staffer, colleague, coworker, patient, nurse, waiter, member, skater, swimmer, climber, prowler, robber, shoplifter, homeless, mechanic, salesman, nanny, babysitter, infant, gentleman, gentlemen, some one, any one, some body, any body, mail carrier, delivery guy",
  car: "automobile, taxi, suv, sedan, hatchback, cab, minivan",
  truck: "pickup, lorry, lorries, van, delivery van, delivery truck, hgv, semi truck, pickup truck, box truck",
  motorcycle: "scooter, motorbike, moped, motor bike",
  airplane: "plane, aircraft, aeroplane",
  boat: "ship, yacht, kayak, canoe, ferry",
  bicycle: "bike, cyclist, pushbike, ebike, e-bike, push bike",
  "car, truck, bus, motorcycle": "vehicle, traffic",
  package: "parcel, box, packet, carton, delivery, deliveries, cardboard box, delivery box",
  dog: "puppy, pup, pooch, doggy, doggie, hound, canine",
  cat: "kitten, kitty, feline, tomcat",
  "dog, cat, bird, horse, sheep, cow, bear": "animal",
  "dog, cat": "pet",
  "cell phone": "phone, cellphone, smartphone, mobile phone",
  "backpack, handbag, suitcase": "bag",
  suitcase: "luggage, baggage",
  knife: "knives",
  couch: "sofa, settee",
  tv: "television, telly",
  "dining table": "table",
  cow: "cattle, calf",
  sheep: "lamb",
  horse: "pony, foal",
  bird: "pigeon, seagull, crow, duck, goose, geese, chicken, hen",
  bus: "minibus",
  train: "tram",
  backpack: "rucksack",
  handbag: "purse",
  refrigerator: "fridge",
  "potted plant": "houseplant",
  forklift: "fork lift, fork-lift",
};

/** What people call a thing → the class or classes a detector calls it. */
export const SYNONYMS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(CALLED).flatMap(([classes, words]) => words.split(", ").map((word) => [word, classes.split(", ")])),
);

/** The names that common detectors and the demo scenes use. */
export const CLASS_NAMES: readonly string[] = [...COCO_CLASSES, "package", "forklift"];

/** Plurals that no rule makes. */
export const PLURALS: Readonly<Record<string, string>> = {
  person: "people",
  bus: "buses",
  knife: "knives",
  sandwich: "sandwiches",
  "wine glass": "wine glasses",
  couch: "couches",
  bench: "benches",
  toothbrush: "toothbrushes",
  mouse: "mice",
  sheep: "sheep",
  broccoli: "broccoli",
  skis: "skis",
  scissors: "scissors",
};

/** Other words that carry a meaning here, and are put right when a letter slipped. */
export const KEYWORDS: readonly string[] =
  "count watch alert notify monitor detect camera between minute second yesterday tonight morning everything".split(
    " ",
  );

/** Words of their own, one letter from a word above. */
export const LOOK_ALIKES: readonly string[] =
  "adults alerted alter ample appeal applies apply avert baker bakers based bases beach beard berry between biked blake block blocks boots bottled bridge broke bunch cane canes canon cartoon cartoons cash cashier castle castles chai chain char chars chart charts chase chased cheer cheers chest chile chill chilly chin china choir cleaned clearer click clicks climbed climbs cloak cloaks coach coast coats cont cough coughed coughs counted counter counters counts county court crane cranes crate crates crown crowned crows defect defects deject deliver delivers detest dinner diver divers dont donut drain drive driven drives dryer ember employer fairy flock fringe gates glass goes grass grate guard guards guess guessed gust gusts hand hiked hoarse hose hoses hounded house houses intruded jogged kitchen leaner loose merry mint minutes moose mope mopes mound mourning mousse moved none noon notice notified notify number numbers packaged packed packer packs parse parser passed passes pastel patent patience pause persona phoned phony place placed places plain plains plan planet planets plank planks planned planner plans plant plate plates poach poached pocket poppy porch pouch pound prison pulse puppet pure purge purges pursue pursued quest remove removed removes robbed rubber runners sail sailed second secondly setter settle sheen sheer sheet shipper shopped shops simmer skated skates sleep soon stable staffed stage stairs stall state steep stiff stiffs stopped stopper strange strangers stronger stuff sweep tablet tablets tale tales tally tell tells thieve track tracked tracker tracks trail trails trained trainer trains trait traits trespassed trick tricks trunk trunks wafer wagon waited waiver waker walked warned watched watcher water watered waters witch workable worked workers works writer writers".split(
    " ",
  );
