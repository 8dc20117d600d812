//! What exported files hold.

/// Fields of RFC 4180.
pub fn parsed(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut field, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match (c, quoted) {
            ('"', true) if characters.next_if_eq(&'"').is_some() => field.push('"'),
            ('"', _) => quoted = !quoted,
            (',', false) => row.push(std::mem::take(&mut field)),
            ('\r', false) => assert_eq!(characters.peek(), Some(&'\n'), "lines end as RFC 4180 has them"),
            ('\n', false) => {
                row.push(std::mem::take(&mut field));
                rows.push(std::mem::take(&mut row));
            }
            (c, _) => field.push(c),
        }
    }
    assert!(row.is_empty() && field.is_empty(), "the last line ends");
    rows
}

/// That every element is closed, in order, and no text holds a bare sign of XML.
pub fn is_well_formed(svg: &str) {
    let mut open: Vec<&str> = Vec::new();
    for piece in svg.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').unwrap();
        assert!(!text.contains('>'), "{text}");
        for entity in text.split('&').skip(1) {
            assert!(
                ["amp;", "lt;", "gt;", "quot;", "#39;"].iter().any(|e| entity.starts_with(e)),
                "{entity}"
            );
        }
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(tag.split_whitespace().next().unwrap());
        }
    }
    assert!(open.is_empty(), "{open:?}");
    assert!(!svg.contains("=\"NaN") && !svg.contains("=\"inf"), "a place that is no number");
}

/// Where the column of that name is.
pub fn column(rows: &[Vec<String>], name: &str) -> usize {
    rows[0].iter().position(|head| head == name).unwrap_or_else(|| panic!("no {name} in {:?}", rows[0]))
}
