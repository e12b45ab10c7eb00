import { kindOf } from './kinds';

/** The part of a name in a column: the whole, a part of it, or a word that can mean either. */
export type NamePart = 'whole' | 'name' | 'given' | 'family';

/** Words of headers, in many languages and in OneRoster: in small letters, without blanks and signs. */
const said: Readonly<Record<NamePart | 'preferred', string>> = {
    whole: `fullname completename displayname legalname firstandlastname pupil pupils pupilname student students studentname
        learner learners child children participant participants member members
        vollständigername vollername anzeigename schüler schülerin schülerinnen schülerinnenundschüler schülername namedesschülers
        namederschülerin namedeskindes kind kinder teilnehmer teilnehmerin
        nomcomplet nometprénom nomprénom prénometnom prénomnom élève élèves nomdelélève élèvenom étudiant étudiants enfant enfants
        nomecompleto nomeecognome cognomeenome nomecognome cognomenome alunno alunni alunna alunne studente studenti allievo
        allievi nominativo
        celéjméno jménoapříjmení příjmeníajméno příjmeníjméno jménopříjmení žák žáci žákyně žačka student studenti
        nombrecompleto nombreyapellidos nombreyapellido apellidosynombre apellidosynombres alumno alumna alumnos alumnas
        estudiante estudiantes
        nomeesobrenome nomedoaluno nomedaaluna aluno aluna alunos alunas estudante estudantes
        фио полноеимя фамилияимя имяфамилия фамилияиимя имяифамилия фамилияимяотчество ученик ученики учащийся учащиеся студент студенты
        الاسمالكامل الاسمالثلاثي الاسمالرباعي الطالب الطالبة الطلاب اسمالطالب اسمالطالبة التلميذ التلاميذ اسمالتلميذ
        姓名 学生姓名 學生姓名 学生 學生 名单 名單 氏名 児童名 生徒名 名前 お名前 이름 성명 학생 학생이름
        leerling leerlingen volledigenaam imięinazwisko nazwiskoiimię uczeń uczniowie elev elever oppilas oppilaat adsoyad
        adısoyadı adıvesoyadı öğrenci учень учні піб teljesnév tanuló ονοματεπώνυμο μαθητής שםמלא תלמיד תלמידים họvàtên
        namalengkap pełneimię nomprenom etudiant eleve eleves
        menoapriezvisko priezviskoameno žiak žiaci imeiprezime prezimeiime učenik učenici imeinpriimek priimekinime имеипрезиме
        имеифамилия numeșiprenume numeleșiprenumele vārdsuzvārds vardaspavardė nomicognoms cognomsinom nomeeapelidos
        ชื่อสกุล ชื่อนามสกุล ชื่อนักเรียน छात्रकानाम विद्यार्थीकानाम पूरानाम نامونامخانوادگی نامدانشآموز namasiswa namamurid họtên
        tanulóneve ονοματεπωνυμο`,
    name: `name names namen nom noms nome nomi nomes nombre nombres jméno jména имя имена الاسم الأسماء اسم naam namn navn nimi ad
        isim imię név όνομα שם tên nama ime име meno nume vārds vardas emri izena jina nafn enw ainm ονομα ชื่อ नाम নাম نام სახელი
        անուն`,
    given: `firstname firstnames givenname givennames forename forenames christianname vorname vornamen prénom prénoms prenom
        primonome křestníjméno primernombre segundonombre primeironome nomepróprio الاسمالأول اسمالأول 名 名字
        voornaam förnamn fornavn etunimi adı imiona keresztnév utónév ім'я імя prenume μικρόόνομα שםפרטי namadepan roepnaam first
        eesnimi fornafn enwcyntaf`,
    family: `lastname lastnames surname surnames familyname familynames secondname nachname nachnamen familienname zuname
        nomdefamille cognome cognomi příjmení apellido apellidos primerapellido segundoapellido apellidopaterno apellidomaterno
        sobrenome sobrenomes apelido apelidos últimonome фамилия фамилии اسمالعائلة اللقب الكنية العائلة 姓 姓氏 achternaam efternamn
        etternavn efternavn sukunimi soyad soyadı soyisim nazwisko vezetéknév családnév прізвище επώνυμο שםמשפחה họ namabelakang
        last nomdenaissance prezime презиме priezvisko priimek
        uzvārds pavardė perekonnanimi cognoms abizenak abizena mbiemri eftirnafn cyfenw sloinne van επωνυμο นามสกุล उपनाम
        نامخانوادگی გვარი ազգանուն`,
    preferred: 'preferredname preferredfirstname knownas calledname rufname nickname spitzname prénomusuel nombrepreferido nomesocial'
};

const meaning = new Map(Object.entries(said).flatMap(([part, words]) => words.split(/\s+/).map((word) => [word, part])));

const wordOf = (cell: string): string => cell.normalize('NFC').toLowerCase().replace(/[^\p{L}\p{M}\p{N}]+/gu, '');

/** Words beside the word that counts: "Student first name", "Vorname des Kindes". */
const fillers = new Set('student students student\'s pupil pupils pupil\'s learner child child\'s legal official schüler schülerin kind kindes kinder élève l\'élève enfant alumno aluno alunno žáka ученика ученицы the of der des de la le du del do da dell\'alunno'.split(' '));

/** Characters of the longest header that is looked at word by word. */
const MAX_HEADER = 60;

/** Endings for both genders and for several, as in "Alumno/a", "Schüler*innen" and "Élève(s)". */
const ENDINGS = /\s?[/*:·]-?(?:as?|e?s|in(?:nen)?|ne)(?!\p{L})|\((?:as?|e?s|in(?:nen)?|ne)\)/giu;

/** The meaning of a header; undefined if it is none that is known. */
export function partOf(cell: string): string | undefined {
    // In capital letters, Turkish is another word for programs.
    const parts = [cell, cell.replace(ENDINGS, ''), cell.toLocaleLowerCase('tr')].map((one) => meaning.get(wordOf(one)));
    const direct = parts.find((part) => part !== undefined);
    if (direct !== undefined || cell.length > MAX_HEADER) {
        return direct;
    }

    const words = cell.toLowerCase().split(/[\s()_*:]+/).filter((word) => word !== '');
    const left = words.filter((word) => !fillers.has(word.replace('’', '\'')));
    const ofPupil = left.length < words.length ? meaning.get(wordOf(left.join(''))) : undefined;
    // Several of them in one column: "Last name, first name".
    const several = cell.split(/[,/&+]/);
    // Or apart by blanks alone: "First name Last name".
    const isKnown = (some: readonly string[]): boolean => meaning.has(wordOf(some.join('')));
    const isTwo = words.some((_word, at) => at > 0 && isKnown(words.slice(0, at)) && isKnown(words.slice(at)));
    return ofPupil ?? (isTwo || (several.length > 1 && several.every((part) => meaning.has(wordOf(part)))) ? 'whole' : undefined);
}

/** Words of headers that are names of people, too: alone in a row, they are no header. */
const alsoNames = new Set('ime meno jina emri van first last'.split(' '));

/** The columns that a name is made of, each with its part; none if the row is no header. */
export function nameColumns(row: readonly string[]): Map<number, NamePart> {
    const isAlone = row.filter((cell) => cell !== '').length === 1;
    const found = row.flatMap((cell, at) => {
        const part = partOf(cell);
        return part === undefined || (isAlone && alsoNames.has(wordOf(cell))) ? [] : [{ at, part }];
    });
    const having = (...parts: readonly string[]): typeof found => found.filter(({ part }) => parts.includes(part));
    const [whole] = having('whole');
    if (whole !== undefined) {
        return new Map([[whole.at, 'whole']]);
    }

    const family = having('family');
    const named = having('name');
    const given = having('given').length > 0 ? having('given') : family.length > 0 && named.length > 0 ? [] : having('preferred');
    // Beside both of its parts it is the whole name; beside one, it is the other.
    const isWhole = named.length > 0 && (found.length === 1 || (given.length > 0 && family.length > 0));
    const other = family.length > 0 ? 'given' : given.length > 0 ? 'family' : 'name';
    return new Map<number, NamePart>(isWhole ? named.slice(0, 1).map(({ at }) => [at, 'whole']) : [
        ...given.map(({ at }): [number, NamePart] => [at, 'given']), ...named.map(({ at }): [number, NamePart] => [at, other]), ...family.map(({ at }): [number, NamePart] => [at, 'family'])
    ]);
}

/** Cells in `users.csv` of OneRoster for a pupil who is there, as empty ones are. In version 1.2, the roles of people are in another file. */
const ofPupils = new Map([['role', 'student'], ['status', 'active'], ['enableduser', 'true']]);

/** Whether a row is a pupil: all are, unless the table is a roster of OneRoster. */
export function isOfPupil(header: readonly string[], row: readonly string[]): boolean {
    const columns = header.map(wordOf);
    return !columns.includes('sourcedid') || columns.every((column, at) => {
        const cell = (row[at] ?? '').toLowerCase();
        return cell === '' || cell === (ofPupils.get(column) ?? cell);
    });
}

const TITLE = /^(?:class|klasse|group|gruppe|groupe|gruppo|grupo|skupina|grupa|группа|المجموعة|classe|třída|clase|turma|класс|الصف|班级|班級|teacher|lehrer|lehrerin|klassenlehrer|klassenlehrerin|klassenleitung|professeur|enseignant|insegnante|učitel|profesor|profesora|professor|professora|учитель|المعلم|老师|老師|school|schule|école|scuola|škola|escuela|escola|школа|المدرسة|学校|學校|total|sum|summe|gesamt|anzahl|totale|celkem|suma|итого|всего|المجموع|合计|合計|总计|總計|date|datum|stand|room|raum|subject|fach|schuljahr|school year|(?:class|pupil|student) list|class register|klassenliste|schülerliste|namensliste|liste de(?: la)? classe|liste des élèves|elenco(?: alunni| studenti)?|registro|seznam(?: žáků)?|lista de (?:alumnos|alunos|clase)|chamada|список(?: класса| учеников)?|قائمة(?: الطلاب)?|points possible)(?=$|[\s.:：0-9])/iu;

/** A part of a list, a page of it, or how many are in it. */
const PART = new RegExp(String.raw`^(?:(?:page|seite|pagina|página|strana|стр)\.?\s?\p{Nd}+.*|boys|girls|jungen|mädchen|garçons`
    + String.raw`|filles|ragazzi|ragazze|chicos|chicas|niños|niñas|meninos|meninas|chlapci|dívky|мальчики|девочки|بنين|بنات)$`, 'iu');
const PUPILS = '(?:pupils|students|children|names|kinder|schüler(?:innen)?|élèves|enfants|alunni|žáků|žáci|alumnos|alunos|ученик[ои]в?|طالب)';
const COUNT = new RegExp(String.raw`^\p{Nd}{1,3}\s+${PUPILS}(?!\p{L})|^${PUPILS}\s.*\p{Nd}|^(?:list[ae]?|elenco)\s(?:of|der|d[ei]`
    + String.raw`|des|du)\s`, 'iu');

/** Whether a row is what stands above or below a list: a title, the teacher, a sum. */
export function isTitle(row: readonly string[]): boolean {
    const [first = '', ...others] = row.filter((cell) => cell !== '');
    const isAlone = others.length === 0;
    return TITLE.test(first) || COUNT.test(first)
        || (isAlone && (PART.test(first) || (/\p{L}[:：](?!\/)/u.test(first) && !/^\S+\s\S.*[:：]\s*\p{Nd}/u.test(first)) || (/\p{Nd}|[年班]/u.test(first) && kindOf(first) === 'class')));
}
