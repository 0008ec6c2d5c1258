// words of other languages

/** Small words of other languages that are no English ones. */
export const FOREIGN: ReadonlySet<string> = new Set(
  "que vois regarde alles alle kann soll ich du wir mir mich dich ist sind wird wurde kein keine nicht und oder wenn wann wie viele wer wo auf dem der das ein eine einen mit von zu zur zum bitte jemand niemand sag sage melde zeig alle heute gestern jetzt noch auch nur bei für über siehst hör stopp kamera guten danke est sont avec dans pour pas quand qui quoi où je tu nous vous moi toi une les des sur dis dites combien personne montre préviens aujourd'hui hier maintenant merci bonjour caméra voiture el la los las una unos con por para qué cuándo cuántos quién dónde avísame dime hay esta está hoy ayer ahora gracias hola cámara coche il lo gli che chi quando dove quanti quante nella nel sono avvisami dimmi oggi ieri adesso grazie ciao telecamera het een niet wie waar hoeveel als op vandaag gisteren nu dank je wanneer mij voor jest nie czy kto gdzie ile kiedy proszę na jak dziś wczoraj powiadom você não quem onde quantos quando hoje ontem agora obrigado avise kameranın kim nerede kaç ne zaman bugün när hur många vem var säg jeg ikke hvem hvor hvor mange".split(
    " ",
  ),
);
