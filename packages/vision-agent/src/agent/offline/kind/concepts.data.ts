// words that mean much the same when the kind of a sentence is asked; a word may begin with one of these where a `~` follows

export const CONCEPTS: Readonly<Record<string, string>> = {
  stop: "stop stops stopping halt cancel cancels end ends quit abort kill remove removes delete erase clear disable deactivate drop scrap ditch scratch axe terminate discontinue cease finish off shut",
  pause: "pause pauses suspend hold freeze break",
  resume: "resume continue unpause reactivate restart carry",
  quiet:
    "mute mutes quiet quieter silence silent hush snooze peace disturb bother bothering pester pestering nag nagging bug bugging alone shush peep sleep spare vacation holiday holidays noise buzz dnd",
  undo: "undo revert reverse restore rollback reinstate recover undelete un-delete back again previous previously earlier old original originally used before mistake",
  trial:
    "test tests testing trial simulate simulated simulation fake pretend dummy sample demo demonstrate example rehearse rehearsal drill practice practise mock dry try imagine",
  tell: "tell tells telling alert notify warn inform ping message text shout let know hear wake call notified alerted warned informed told remind",
  watch:
    "watch watching monitor observe guard look lookout eye eyes keep track follow detect spot count counting tally counted surveil protect",
  notice: "alert alerts alarm alarms notification notifications message messages warning warnings ping pings reminder",
  begin: "start begin create set setup add launch run use apply deploy build make put install",
  look: "show see look describe picture photo snapshot view list display check summarize summarise summary recap report overview",
  cost: "cost costs costing spend spending spent money bill billed billing charge charged price pricey priced budget dollar dollars euro euros cent cents usd pay paid paying expensive cheap tokens token usage invoice expense expenses fee fees burned owe afford",
  health:
    "online offline working works broken frozen freezing alive dead lag lagging laggy signal connection connected disconnected connect feed feeds stream lens blurry dark black healthy health down dropped dropping stuck hung crashed failing faulty fault outage glitch trouble issue issues problem problems reachable responding unreachable up frames fps",
  delivery:
    "sent send sending delivered deliver delivery receive received receives arrive arrived reach reached inbox channel webhook through land landed acknowledged seen recipient recipients undelivered get got",
  remember: "remember note memorize memorise forget record fyi mind store save jot write",
  frequency:
    "every each daily hourly weekly nightly once twice monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays morning evening noon tomorrow",
  until: "until till while meantime weekend week days back",
  camera: "camera cameras cam cams webcam stream feed doorbell",
  register: "add register connect hook include enter install installed bought save name named call called address link",
  limit:
    "only just not without except ignore instead also rather less fewer more longer shorter least most make change raise lower increase decrease extend shorten switch too often enough better plenty",
  device:
    "door doors gate gates light lights lamp siren music heating shutter shutters blind blinds window windows lock unlock open close turn zoom tilt rotate pan print upload download post share email e-mail police pizza joke poem translate play feed water buy order book honk drive clean sing video clip recording recordings instagram boss wife neighbour neighbours belt conveyor tv radio fan sprinkler",
  setting: "setting settings config configuration option options configure",
  thanks:
    "thanks thank cheers hello hi hey bye goodbye morning night great perfect lovely awesome nice sorry fine ok okay yes yeah no nope sure haha love funny good",
  moment: "when whenever if once soon moment case time should",
  past: "was were did had happened came went yesterday ago last been",
};
